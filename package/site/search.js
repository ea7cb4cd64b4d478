// SPDX-License-Identifier: Apache-2.0
// Finds options by their names: the search takes hyphens in front of a word for "without this word".
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  const is_query = message && typeof message.data === "string";
  const sent = is_query ? { ...message, data: message.data.replace(/(^|\s)--+(?=\w)/g, "$1") } : message;
  return post.call(this, sent, ...rest);
};
