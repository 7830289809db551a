import { compareCodePoints } from "../code-points.ts";
import { CONTEST_CANDIDATES_MAX_COUNT, CONTEST_STEPS_MAX_COUNT } from "../limits.ts";
import { escapedUri } from "../uri-template/encode.ts";
import { literalEnds } from "../uri-template/literal-ends.ts";
import { matchTemplate } from "../uri-template/match-template.ts";
import { parseTemplate, type UriTemplate } from "../uri-template/parse-template.ts";

/** A resource or a template as some server lists it. */
export interface ListedUri {
  readonly server: string;
  /** The URI, or the template's text. */
  readonly text: string;
  readonly isTemplate: boolean;
}

/** Who has which URIs, of all that somebody sees. */
export interface UriOwners {
  /** Whether a server lists a resource by this very URI. */
  lists(server: string, uri: string): boolean;
  /** Whether any server lists a resource by this very URI. */
  isListed(uri: string): boolean;
  /** Whether a server has any resource or template. */
  hasAny(server: string): boolean;
  /** Whether a server lists a URI, or one of its templates gives it; where that takes too much work, it does not. */
  has(server: string, uri: string): boolean;
  /** Whether a URI of this server is another's too: listed by it, or given by one of its templates. */
  isContested(server: string, uri: string): boolean;
  /** Whether a template of this server gives, or may give, a URI that is another's too. */
  isContestedTemplate(server: string, text: string): boolean;
}

interface OwnedTemplate {
  readonly server: string;
  readonly template: UriTemplate;
  readonly prefix: string;
  readonly suffix: string;
}

/** Counts what is held against each other, so that a test can hold this to its promise. */
export interface CandidateMeter {
  candidates: number;
}

/**
 * Looks every listed URI and template up once, so that a question costs little however many there are: templates are
 * found by the text that their URIs begin with. What has more candidates than `CONTEST_CANDIDATES_MAX_COUNT`, or takes
 * more work than `CONTEST_STEPS_MAX_COUNT`, counts as contested, whatever the order: to name the server is never wrong.
 */
export function uriOwners(listed: Iterable<ListedUri>, meter: CandidateMeter = { candidates: 0 }): UriOwners {
  const owners = new Map<string, Set<string>>();
  /** Resources by their URIs escaped as templates write them, to be compared with how templates begin. */
  const escaped = new Map<string, Set<string>>();
  const templateTexts = new Map<string, Set<string>>();
  const templates = new Map<string, OwnedTemplate[]>();
  const templatesOf = new Map<string, OwnedTemplate[]>();
  const servers = new Set<string>();
  for (const { server, text, isTemplate } of listed) {
    servers.add(server);
    add(isTemplate ? templateTexts : owners, text, server);
    if (!isTemplate) add(escaped, escapedUri(text), server);
    const parsed = isTemplate ? parseTemplate(text) : undefined;
    if (parsed?.ok !== true) continue;
    const owned = { server, template: parsed.value, ...literalEnds(parsed.value) };
    put(templates, owned.prefix, owned);
    put(templatesOf, server, owned);
  }
  const uris = [...escaped.keys()].sort(compareCodePoints);
  const prefixes = [...templates.keys()].sort(compareCodePoints);
  const lengths = [...new Set(prefixes.map(({ length }) => length))].sort((left, right) => left - right);

  function* counted<Candidate>(candidates: Iterable<Candidate>): Generator<Candidate> {
    for (const candidate of candidates) {
      meter.candidates += 1;
      yield candidate;
    }
  }

  /** Templates whose URIs begin with a beginning of the text. */
  function* beginningIn(text: string): Generator<OwnedTemplate> {
    for (const length of lengths) {
      if (length > text.length) return;
      yield* counted(templates.get(text.slice(0, length)) ?? []);
    }
  }

  /** Templates whose URIs begin with more than the text. */
  function* beginningBehind(text: string): Generator<OwnedTemplate> {
    for (const prefix of startingWith(prefixes, text)) {
      if (prefix !== text) yield* counted(templates.get(prefix) ?? []);
    }
  }

  const lists = (server: string, uri: string): boolean => owners.get(uri)?.has(server) === true;

  return {
    lists,
    isListed: (uri) => owners.has(uri),
    hasAny: (server) => servers.has(server),
    has(server, uri) {
      if (lists(server, uri)) return true;
      const steps = { left: CONTEST_STEPS_MAX_COUNT };
      return (templatesOf.get(server) ?? []).some(
        ({ template }) => steps.left >= 0 && matchTemplate(template, uri, steps) !== undefined,
      );
    },
    isContested: (server, uri) =>
      another(owners.get(uri), server) ||
      anyOf(
        beginningIn(escapedUri(uri)),
        server,
        ({ template }, steps) => matchTemplate(template, uri, steps) !== undefined,
      ),
    isContestedTemplate(server, text) {
      if (another(templateTexts.get(text), server)) return true;
      const parsed = parseTemplate(text);
      // What is no template gives no URI.
      if (!parsed.ok) return false;
      const { prefix, suffix } = literalEnds(parsed.value);
      const overlaps = (other: OwnedTemplate) =>
        suffix.endsWith(other.suffix) || other.suffix.endsWith(suffix);
      if (anyOf(beginningIn(prefix), server, overlaps)) return true;
      if (anyOf(beginningBehind(prefix), server, overlaps)) return true;
      const steps = { left: CONTEST_STEPS_MAX_COUNT };
      let tried = 0;
      for (const uri of counted(startingWith(uris, prefix))) {
        if (!another(escaped.get(uri), server)) continue;
        tried += 1;
        if (tried > CONTEST_CANDIDATES_MAX_COUNT) return true;
        if (matchTemplate(parsed.value, uri, steps) !== undefined || steps.left < 0) return true;
      }
      return false;
    },
  };
}

/** Whether any template of another server does it, or there are too many to tell. */
function anyOf(
  candidates: Iterable<OwnedTemplate>,
  server: string,
  does: (candidate: OwnedTemplate, steps: { left: number }) => boolean,
): boolean {
  const steps = { left: CONTEST_STEPS_MAX_COUNT };
  let tried = 0;
  for (const candidate of candidates) {
    if (candidate.server === server) continue;
    tried += 1;
    if (tried > CONTEST_CANDIDATES_MAX_COUNT || does(candidate, steps) || steps.left < 0) return true;
  }
  return false;
}

function put(table: Map<string, OwnedTemplate[]>, key: string, owned: OwnedTemplate): void {
  const same = table.get(key);
  if (same === undefined) table.set(key, [owned]);
  else same.push(owned);
}

function add(table: Map<string, Set<string>>, key: string, server: string): void {
  const servers = table.get(key);
  if (servers === undefined) table.set(key, new Set([server]));
  else servers.add(server);
}

function another(servers: ReadonlySet<string> | undefined, server: string): boolean {
  return servers !== undefined && servers.size > (servers.has(server) ? 1 : 0);
}

/** The texts that begin so, of sorted ones. */
function* startingWith(sorted: readonly string[], prefix: string): Generator<string> {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareCodePoints(sorted[middle] ?? "", prefix) < 0) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < sorted.length; at += 1) {
    const text = sorted[at] ?? "";
    if (!text.startsWith(prefix)) return;
    yield text;
  }
}
