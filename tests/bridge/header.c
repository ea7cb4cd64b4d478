/* mxgold_model.h compiles alone as C. */
#include "mxgold_model.h"

int mx_bridge_fields(void);
int mx_bridge_fields(void) { return MXGOLD_FIELDS; }
