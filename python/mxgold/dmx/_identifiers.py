"""The identifiers of block formats. Source: spec S5.1."""

from __future__ import annotations

import enum


class BFPTypeEnum(enum.Enum):
    """Block formats by number: DMX_[U]BFP_<bits>[A]_<block size>, A where asymmetric, and DMX_SBFP_<bits>_<block
    size>_<bias of the scaler>; bits are those of an element and of the shared exponent."""

    DMX_BFP_32_1 = 10001
    DMX_BFP_24_64 = 10002
    DMX_BFP_24_32 = 10003
    DMX_BFP_24_16 = 10004
    DMX_BFP_16_128 = 10005
    DMX_BFP_16_64 = 10006
    DMX_BFP_16_32 = 10007
    DMX_BFP_16_16 = 10008
    DMX_BFP_14_128 = 10009
    DMX_BFP_14_64 = 10010
    DMX_BFP_14_32 = 10011
    DMX_BFP_14_16 = 10012
    DMX_BFP_12_128 = 10013
    DMX_BFP_12_64 = 10014
    DMX_BFP_12_32 = 10015
    DMX_BFP_12_16 = 10016
    DMX_BFP_14A_128 = 10017
    DMX_BFP_14A_64 = 10018
    DMX_BFP_14A_32 = 10019
    DMX_BFP_14A_16 = 10020
    DMX_BFP_12A_128 = 10021
    DMX_BFP_12A_64 = 10022
    DMX_BFP_12A_32 = 10023
    DMX_BFP_12A_16 = 10024
    DMX_UBFP_32_1 = 10025
    DMX_UBFP_24_64 = 10026
    DMX_UBFP_24_32 = 10027
    DMX_UBFP_24_16 = 10028
    DMX_UBFP_16_128 = 10029
    DMX_UBFP_16_64 = 10030
    DMX_UBFP_16_32 = 10031
    DMX_UBFP_16_16 = 10032
    DMX_UBFP_14_128 = 10033
    DMX_UBFP_14_64 = 10034
    DMX_UBFP_14_32 = 10035
    DMX_UBFP_14_16 = 10036
    DMX_UBFP_12_128 = 10037
    DMX_UBFP_12_64 = 10038
    DMX_UBFP_12_32 = 10039
    DMX_UBFP_12_16 = 10040
    DMX_SBFP_12_16_4 = 10041
    DMX_SBFP_12_16_5 = 10042
    DMX_SBFP_12_16_6 = 10043
    DMX_SBFP_12_16_7 = 10044
    DMX_SBFP_12_16_8 = 10045
    DMX_SBFP_12_16_9 = 10046
    DMX_SBFP_12_16_10 = 10047
    DMX_SBFP_12_16_11 = 10048
    DMX_SBFP_12_16_12 = 10049
    DMX_SBFP_12_16_13 = 10050
    DMX_SBFP_12_16_14 = 10051
    DMX_SBFP_12_16_15 = 10052
    DMX_SBFP_12_16_16 = 10053
    DMX_SBFP_12_16_17 = 10054
    DMX_SBFP_12_16_18 = 10055
