/** A kind of token that is known by its beginning: two regular expressions' sources, without groups that capture. */
export interface TokenShape {
  readonly prefix: string;
  /**
   * Greedy, and without a condition on what follows, so that a shape found in a text's beginning is found in the whole
   * text too. It fails within a bounded number of characters, or at the end of a run that no other prefix can begin in.
   */
  readonly body: string;
}

export const shape = (prefix: string, body: string): TokenShape => ({ prefix, body });

const UUID = "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12,}";

/** Beginnings that stand in no word of a language: a secret wherever they are, but inside of a long code. */
export const DISTINCT: readonly TokenShape[] = [
  // Where code is kept, built and shipped.
  shape("gh[pousr]_", "[A-Za-z0-9]{36,}"),
  shape("github_pat_", "\\w{22,}"),
  shape("gl(?:pat|oas|rt|rtr|dt|ptt|ft|imt|agent|soat|cbt|ffct|wt)-", "[\\w-]{20,}"),
  shape("GR1348941", "[\\w-]{20,}"),
  shape("ATBB", "[A-Za-z0-9]{32,}"),
  shape("CCIPAT_", "[A-Za-z0-9]{16,}_[a-f0-9]{40,}"),
  shape("bk[ua]a_", "[a-f0-9]{40,}"),
  shape("sq[upa]_", "[a-f0-9]{40,}"),
  shape("snyk_[us]at\\.", "[\\w.-]{40,}"),
  shape("sgp_(?:[a-f0-9]{16}_|local_)?", "[a-f0-9]{40,}"),
  shape("cmVmdGtu", "[A-Za-z0-9]{50,}"),
  shape("AKCp", "[A-Za-z0-9]{69,}"),
  shape("npm_", "[A-Za-z0-9]{36,}"),
  shape("pypi-", "[\\w-]{50,}"),
  shape("rubygems_", "[a-f0-9]{48,}"),
  shape("dckr_(?:pat|oat)_", "[\\w-]{20,}"),
  shape("pscale_(?:pw|tkn|oauth)_", "[\\w.-]{32,}"),
  shape("sb_secret_", "[\\w-]{20,}"),
  shape("sntry[su]_", "[\\w+/=-]{40,}"),
  shape("glc_eyJ", "[\\w+/=-]{30,}"),
  shape("dt0[a-z]\\d\\d\\.", "[A-Z0-9]{24,}\\.[A-Z0-9]{64,}"),
  shape("hc[abi][a-z]{2}_", "[a-z0-9]{50,}"),
  shape("ph[xc]_", "[A-Za-z0-9]{43,}"),
  shape("ddap[pi]_", "[A-Za-z0-9]{34,}"),
  shape("glsa_", "[A-Za-z0-9]{32,}_[A-Fa-f0-9]{8,}"),
  shape("PMAK-", "[a-f0-9]{24,}-[a-f0-9]{34,}"),
  shape("fm[12]r?_", "[\\w+/=]{40,}"),
  shape("tskey-", "[a-z]{2,16}-[A-Za-z0-9-]{16,}"),
  shape("HRKU-", "[\\w-]{36,}"),
  shape("NRAK-", "[A-Z0-9]{27,}"),
  // Clouds.
  shape("ABSK", "[A-Za-z0-9+/]{109,}={0,2}"),
  shape("LTAI", "[A-Za-z0-9]{20,}"),
  shape("cf(?:at|ut|k)_", "[A-Za-z0-9]{40,}"),
  shape("FlyV1 fm2_", "[\\w+/=,-]{40,}"),
  shape("fo1_", "[\\w-]{40,}"),
  shape("vc[pikr]_", "[A-Za-z0-9]{24,}"),
  shape("napi_", "[a-z0-9]{60,}"),
  shape("pcsk_", "[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}"),
  shape("tgp_v1_", "[\\w-]{40,}"),
  shape("ops_eyJ", "[\\w+/=-]{200,}"),
  shape("pn[ub]_", "[a-z0-9]{36,}"),
  shape("t1\\.[A-Z0-9a-z_-]{1,400}=?=?\\.", "[\\w-]{86,}=?=?"),
  // The middle of it, which is known.
  shape("\\dQ~", "[\\w~.-]{31,}"),
  shape("\\.atlasv1\\.", "[\\w-]{60,}"),
  shape("y[0-3]_AgAAA", "[\\w-]{40,}"),
  shape("AQVN", "[\\w-]{36,}"),
  shape("GOCSPX-", "[\\w-]{20,}"),
  shape("ya29\\.", "[\\w-]{20,}"),
  shape("do[opr]_v1_", "[a-f0-9]{64,}"),
  shape("AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
  shape("v1\\.0-", "[a-f0-9]{24,}-[a-f0-9]{146,}"),
  // People at work.
  shape("xox[abcdeoprs]-", "[A-Za-z0-9-]{10,}"),
  shape("xoxe\\.xox[bp]-", "[A-Za-z0-9-]{10,}"),
  shape("xapp-\\d-", "[A-Za-z0-9-]{10,}"),
  shape(
    "hooks\\.slack\\.com\\\\?/(?:services|workflows|triggers)\\\\?/",
    "[A-Z0-9]{8,}\\\\?/[A-Z0-9]{8,}\\\\?/[A-Za-z0-9]{20,}",
  ),
  shape("discord(?:app)?\\.com\\\\?/api\\\\?/webhooks\\\\?/", "\\d{17,20}\\\\?/[\\w-]{60,}"),
  shape("webhook\\.office\\.com\\\\?/webhookb2\\\\?/", "[\\w@/\\\\-]{60,}"),
  shape("api\\.telegram\\.org\\\\?/bot", "\\d{8,10}:[\\w-]{35,}"),
  shape("A(?:TATT|TCTT|TSTT)3", "[\\w=-]{50,}"),
  shape("CFPAT-", "[\\w-]{43,}"),
  shape("tfp_", "[\\w.=-]{40,}"),
  shape("pk_\\d{6,10}_", "[A-Z0-9]{32,}"),
  shape("fig[duo][rh]?_", "[\\w-]{30,}"),
  shape("lin_(?:api|oauth)_", "[A-Za-z0-9]{32,}"),
  // Money.
  shape("access-(?:production|sandbox|development)-", UUID),
  shape("access_token\\$(?:production|sandbox)\\$", "[a-z0-9]{16}\\$[a-f0-9]{32,}"),
  shape("shippo_(?:live|test)_", "[a-f0-9]{40,}"),
  shape("duffel_(?:live|test)_", "[\\w-]{40,}"),
  shape("FLWSECK(?:_TEST)?-", "[\\w-]{12,}"),
  shape("EZ[AT]K", "[A-Za-z0-9]{54,}"),
  shape("rdme_", "[a-z0-9]{60,}"),
  shape("whsec_", "[A-Za-z0-9+/=]{24,}"),
  shape("shp(?:at|ca|pa|ss)_", "[A-Fa-f0-9]{32,}"),
  shape("sq0(?:atp|csp|idp)-", "[\\w-]{22,}"),
  shape("xkeysib-", "[a-f0-9]{64,}"),
  // Passwords as systems keep them.
  shape("\\$(?:2[abxy]|5|6|y|apr1|argon2(?:id?|d))\\$", "[./A-Za-z0-9$=,+]{22,}"),
  // Models.
  shape("lsv2_(?:pt|sk)_", "[a-f0-9]{32,}_[a-f0-9]{10,}"),
  shape("api_org_", "[A-Za-z0-9]{34,}"),
  shape("sk-ant-", "[\\w-]{20,}"),
  shape("pplx-", "[A-Za-z0-9]{40,}"),
  // Our own bearers.
  shape("lg_(?:client|package|owner)_", "[\\w-]{43,}"),
];

/** Beginnings that words end in (`task-`) or that any long code may hold: a secret where nothing is written before them. */
export const APART: readonly TokenShape[] = [
  shape("sk-(?:proj|svcacct|admin|None|or-v1)-", "[\\w-]{20,}"),
  shape("sk-", "[A-Za-z0-9]{20,}"),
  shape("[rs]k_(?:live|test|org_live|org_test)_", "[A-Za-z0-9]{16,}"),
  shape("(?:A3T[A-Z0-9]|A(?:KI|SI|GP|ID|RO|IP|NP|NV|BI|CC)A)", "[A-Z0-9]{16,}"),
  shape("SG\\.", "[\\w-]{16,}\\.[\\w-]{16,}"),
  shape("(?:dapi|dose|dkea|dsapi)", "[a-f0-9]{32,}"),
  shape("hf_", "[A-Za-z0-9]{30,}"),
  shape("gsk_", "[A-Za-z0-9]{40,}"),
  shape("xai-", "[A-Za-z0-9]{70,}"),
  shape("r8_", "[A-Za-z0-9]{37,}"),
  shape("hv[bsr]\\.", "[\\w-]{24,}"),
  shape("ntn_", "[A-Za-z0-9]{40,}"),
  // Also a word that names are made of: no beginning unless all of it is there.
  shape("secret_(?=[A-Za-z0-9]{40})", "[A-Za-z0-9]+"),
  shape("sbp_", "[a-f0-9]{40,}"),
  shape("nfp_", "[A-Za-z0-9]{36,}"),
  shape("key-", "[a-f0-9]{32,}"),
  shape("pul-", "[a-f0-9]{40,}"),
  shape("pat[A-Za-z0-9]{14}\\.", "[a-f0-9]{64,}"),
  shape("dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "(?:[\\w-]{1,64}\\.)?[A-Za-z0-9]{40,}"),
  shape("pat-(?:na|eu|ap)\\d-", UUID),
  shape("(?:sdk|api|mob)-", UUID),
  shape("re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
  shape("sk_", "[a-f0-9]{48,}"),
  shape("sl\\.(?:u\\.)?", "[\\w-]{130,}"),
  shape("v[1-4]\\.(?:local|public)\\.", "[\\w-]{60,}"),
  shape("pat\\.[\\w-]{22}\\.", "[a-f0-9]{24}\\.[A-Za-z0-9]{20,}"),
  shape("cio", "[A-Za-z0-9]{32,}"),
  shape("oy2", "[a-z0-9]{43,}"),
  shape("A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
  shape("(?:ico|p8e)-", "[A-Za-z0-9]{32,}"),
  shape("fio-u-", "[\\w-]{60,}"),
  shape("tk-us-", "[\\w-]{48,}"),
  shape("rnd_", "[A-Za-z0-9]{28,}"),
  shape("key_", "[a-f0-9]{64,}"),
  shape("[12]/\\d{13,17}(?:/\\d{13,17})?:", "[a-f0-9]{32,}"),
  // Telegram's bots.
  shape("\\d{8,10}:AA", "[\\w-]{33,}"),
];

/** Beginnings that a long code has by chance: a secret where nothing of any base64 is written before them. */
export const CODES: readonly TokenShape[] = [
  // Google's keys have 35 characters behind it; what follows cannot count, or a secret behind one would hide it.
  shape("AIza", "[\\w-]{35,}"),
  shape("1\\\\?/\\\\?/0", "[\\w-]{30,}"),
  shape("SK", "[a-f0-9]{32,}"),
  shape("EAAA", "[\\w-]{60,}"),
  shape("EAA[A-Z]", "[A-Za-z0-9]{80,}"),
  // Discord's bots.
  shape("[MNO][\\w-]{23,27}\\.", "[\\w-]{6}\\.[\\w-]{27,}"),
];
