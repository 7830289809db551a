/** How a language names what it defines at the beginning of a line. Each pattern is linear: no two runs of it can match the same. */
interface Language {
  readonly name: string;
  /** Ends of file names. */
  readonly endings: readonly string[];
  readonly mediaTypes: readonly string[];
  /** What is defined, as group 1 the words before the name, as group 2 the name. */
  readonly definition: RegExp;
  /** Lines that hardly any other language has. */
  readonly sign: RegExp;
}

const JAVASCRIPT =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|class|interface|type|enum|namespace|const|let|var) +([\w$]+)/;
const JVM =
  /^ {0,4}(?:@\w+ )?(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|override|async) ){0,4}(class|interface|enum|record|struct|object|trait|fun|namespace) +(\w+)/;

const LANGUAGES: readonly Language[] = [
  {
    name: "TypeScript",
    endings: ["ts", "tsx", "mts", "cts"],
    mediaTypes: ["text/typescript", "application/typescript", "text/x-typescript"],
    definition: JAVASCRIPT,
    sign: /^(?:import type |export (?:type|interface|enum|abstract class) |interface \w+ \{|(?:export )?(?:const|function) \w+.*: (?:string|number|boolean|void|Promise<))/,
  },
  {
    name: "JavaScript",
    endings: ["js", "jsx", "mjs", "cjs"],
    mediaTypes: ["text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript"],
    definition: JAVASCRIPT,
    sign: /^(?:import .{0,200} from ["']|const \w+ = require\(|export (?:default|const|function|class|\{)|module\.exports|exports\.\w+ = |Object\.defineProperty\(exports|(?:const|let|var) [\w$]+ = |(?:const|let|var) \{ |"use strict"|'use strict'|(?:async )?function \w+\()/,
  },
  {
    name: "Python",
    endings: ["py", "pyi"],
    mediaTypes: ["text/x-python", "application/x-python", "text/x-python3"],
    definition: /^ {0,4}(?:async )?(def|class) +(\w+)/,
    sign: /^(?:from [\w.]+ import |import [\w., ]+(?: as \w+)?$| {0,8}(?:async )?def \w+\(| {0,8}class \w+(?:\(.{0,100}\))?:|if __name__ == |@\w+)/,
  },
  {
    name: "Go",
    endings: ["go"],
    mediaTypes: ["text/x-go"],
    definition: /^(package|func|type)(?: \([^)]{0,80}\))? +(\w+)/,
    sign: /^(?:package \w+$|func (?:\(\w+ \*?\w+\) )?\w+\(|import \($|type \w+ (?:struct|interface) \{)/,
  },
  {
    name: "Rust",
    endings: ["rs"],
    mediaTypes: ["text/x-rust", "text/rust"],
    definition:
      /^ {0,4}(?:pub(?:\([a-z]+\))? )?(?:async )?(?:unsafe )?(fn|struct|enum|trait|impl|mod|type|macro_rules!) +([\w<]+)/,
    sign: /^(?:use [\w:]+(?:::\{|;)|pub (?:fn|struct|enum|mod|trait) |impl(?:<|\s)|fn \w+\(|#\[derive\(|mod \w+;)/,
  },
  {
    name: "Java",
    endings: ["java"],
    mediaTypes: ["text/x-java", "text/x-java-source"],
    definition: JVM,
    sign: /^(?:package [\w.]+;|import (?:static )?[\w.]+\*?;|(?:public|final|abstract) .{0,40}(?:class|interface|enum|record) \w+)/,
  },
  {
    name: "C#",
    endings: ["cs"],
    mediaTypes: ["text/x-csharp"],
    definition: JVM,
    sign: /^(?:using [A-Z][\w.]+;|namespace [\w.]+|\s*public (?:static |async |override )*(?:void|Task|string|int|bool) \w+\()/,
  },
  {
    name: "Kotlin",
    endings: ["kt", "kts"],
    mediaTypes: ["text/x-kotlin"],
    definition: JVM,
    sign: /^(?:package [\w.]+$|import [\w.]+\*?$|(?:private |internal |suspend )*fun \w+|data class )/,
  },
  {
    name: "C or C++",
    endings: ["c", "h", "cc", "cpp", "cxx", "hpp", "hh"],
    mediaTypes: ["text/x-c", "text/x-csrc", "text/x-c++src", "text/x-chdr"],
    definition:
      /^(?:(?:static|inline|extern|constexpr|virtual|const|unsigned) ){0,4}(class|struct|enum|union|namespace|#define|[A-Za-z_]\w{0,60}[ *&]{1,3}(?=\w{1,80}\()) *(\w+)/,
    sign: /^(?:#include [<"]|#define \w+|#ifn?def |using namespace |typedef )/,
  },
  {
    name: "Ruby",
    endings: ["rb"],
    mediaTypes: ["text/x-ruby", "application/x-ruby"],
    definition: /^ {0,4}(def|class|module) +([\w.:?!]+)/,
    sign: /^(?:require(?:_relative)? ["']|module [A-Z]\w*$|class [A-Z]\w*(?: < |$)|\s*def \w+[?!]?(?:\(|$))/,
  },
  {
    name: "PHP",
    endings: ["php"],
    mediaTypes: ["text/x-php", "application/x-php", "application/x-httpd-php"],
    definition:
      /^ {0,4}(?:(?:public|private|protected|static|abstract|final) ){0,3}(function|class|interface|trait|enum) +(\w+)/,
    sign: /^(?:<\?php|use [A-Z][\w\\]+;|\s*public function \w+\()/,
  },
  {
    name: "Shell",
    endings: ["sh", "bash", "zsh"],
    mediaTypes: ["text/x-sh", "application/x-sh", "text/x-shellscript"],
    definition: /^(function )? *([\w-]+) *\(\) *\{?$/,
    sign: /^(?:set -[eux]|if \[\[? |fi$|esac$|done$|export [A-Z_]+=|echo )/,
  },
  {
    name: "SQL",
    endings: ["sql"],
    mediaTypes: ["application/sql", "text/x-sql"],
    definition:
      /^(create (?:or replace )?(?:temp(?:orary)? )?(?:unique )?(?:table|view|index|function|procedure|trigger|type)(?: if not exists)?) +([\w."`]+)/i,
    sign: /^(?:create (?:table|index|view|or replace) |insert into |select .{1,200} from |alter table |drop table |begin;|commit;)/i,
  },
  {
    name: "CSS",
    endings: ["css", "scss", "less"],
    mediaTypes: ["text/css"],
    definition: /^(@media|@keyframes|@mixin|@font-face) ?(.{0,60}?) *\{?$/,
    sign: /^(?:[.#@:*]?[\w-][\w\s.,:#>*()-]{0,100}\{$|\s+[a-z-]+: .{1,100};$)/,
  },
  {
    name: "YAML",
    endings: ["yaml", "yml"],
    mediaTypes: ["application/yaml", "text/yaml", "text/x-yaml", "application/x-yaml"],
    definition: /^()([\w."'/$-]{1,80}) *:(?= |$)/,
    sign: /^(?:---$|apiVersion: |kind: |\s*- \w+: |\s{2,}[\w-]+:(?: \S|$)|[\w-]+:$)/,
  },
  {
    name: "TOML or INI",
    endings: ["toml", "ini", "cfg", "conf"],
    mediaTypes: ["application/toml", "text/x-ini"],
    definition: /^()(\[{1,2}[\w."' :-]{1,80}\]{1,2})/,
    sign: /^(?:\[{1,2}[\w." -]+\]{1,2}$|[\w.-]+ *= *\S)/,
  },
];

/** By what is said of a text. */
export function languageSaid(mediaType: string, name: string): Language | undefined {
  const ending = /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return LANGUAGES.find(
    ({ mediaTypes, endings }) => mediaTypes.includes(mediaType) || endings.includes(ending),
  );
}

const INTERPRETERS: readonly [RegExp, string][] = [
  [/\b(?:ba|z|k|da)?sh\b/, "Shell"],
  [/\bpython/, "Python"],
  [/\bnode\b|\bdeno\b|\bbun\b/, "JavaScript"],
  [/\bruby\b/, "Ruby"],
  [/\bphp\b/, "PHP"],
];
/** So many lines must look like it, and this share of all. */
const SIGNS_MIN_COUNT = 3;
const SIGNS_SHARE = 20;
/** Ends of statements and of blocks, and lines of comments. */
const BRACED = /(?:[;{}]|\);?|\},?)\s*$|^\s*(?:\/\/|\/?\*)/;

/** By the first line, or by what the lines look like. */
export function languageSeen(lines: readonly string[]): Language | undefined {
  const first = lines[0] ?? "";
  if (first.startsWith("#!")) {
    const name = INTERPRETERS.find(([interpreter]) => interpreter.test(first))?.[1];
    return LANGUAGES.find((language) => language.name === name);
  }
  const filled = lines.filter((line) => line.trim() !== "");
  // Where most lines end as statements and blocks do, one sign is enough.
  const braced = filled.filter((line) => BRACED.test(line)).length * 2 > filled.length;
  let best: { readonly language: Language; readonly signs: number } | undefined;
  for (const language of LANGUAGES) {
    const signs = filled.filter((line) => language.sign.test(line)).length;
    const share = DATA_LANGUAGES.has(language.name) ? 2 : SIGNS_SHARE;
    const enough = signs >= SIGNS_MIN_COUNT && signs * share >= filled.length;
    if (!enough && !(braced && signs > 0 && share === SIGNS_SHARE)) continue;
    if (signs > (best?.signs ?? 0)) best = { language, signs };
  }
  // What only TypeScript has decides between the two.
  const typed = LANGUAGES.find(({ name }) => name === "TypeScript");
  const isTyped =
    best?.language.name === "JavaScript" && filled.some((line) => typed?.sign.test(line) === true);
  return isTyped ? typed : best?.language;
}

/** Whose lines look like those of much else, so that most must. */
const DATA_LANGUAGES: ReadonlySet<string> = new Set(["YAML", "TOML or INI", "CSS", "Shell"]);

export type { Language };
