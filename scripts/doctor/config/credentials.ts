import { visit } from "jsonc-parser";
import { type Config, keyOf } from "../../../src/config.ts";
import { SECRET_VALUE_MIN_CHARS } from "../../../src/limits.ts";
import { SCRUBBED } from "../../../src/scrub/secret-places.ts";
import { httpServers } from "../../../src/server-target.ts";
import { namesSecret } from "../../../src/scrub/secret-names.ts";
import { redactSecrets } from "../../../src/scrub/secret-shapes.ts";
import { failed, type Finding, orPassed, warned } from "../finding.ts";
import { placedHeaders, placedUrls } from "./placed.ts";

const REFERENCE = /\$\{env:[^}]*\}/g;
const SCHEME = /^(?:basic|bearer|token|apikey)(?:\s|$)/i;
const MEND =
  "put the value into a variable or secret, write ${env:NAME} here, and replace the credential: it was in a file";

/** Credentials that stand in the file itself, whoever reads it. No value is ever shown. */
export function judgeCredentials(text: string, config: Config): readonly Finding[] {
  const found: Finding[] = [];
  for (const [server, block] of httpServers(config)) {
    for (const { key, value } of placedUrls(server, block)) {
      if (hasShape(value)) found.push(literal(keyOf(key)));
    }
    for (const { header, key, value } of placedHeaders(server, block)) {
      const subject = keyOf(key);
      if (hasShape(value)) found.push(literal(subject));
      else if (isNamedSo(header, value)) {
        const what = "the header's name says credential, and its value stands in the file";
        found.push(warned("config.credentials", { subject, what, mend: MEND }));
      }
    }
  }
  found.push(...inComments(text));
  return orPassed(found, "config.credentials", "no credential stands in the file itself");
}

/** The values that stand in the file and look like credentials, so that nothing that is printed shows them. */
export function literalCredentials(config: Config): readonly string[] {
  return httpServers(config).flatMap(([server, block]) =>
    placedHeaders(server, block).flatMap(({ header, value }) =>
      hasShape(value) || isNamedSo(header, value) ? [ownPart(value)] : [],
    ),
  );
}

function literal(subject: string): Finding {
  return failed("config.credentials", {
    subject,
    what: "a credential stands in the file itself",
    mend: MEND,
  });
}

/** What a variable puts in is no part of the file. */
function masked(value: string): string {
  return value.replaceAll(REFERENCE, SCRUBBED);
}

function hasShape(value: string): boolean {
  return redactSecrets(masked(value)).count > 0;
}

function isNamedSo(header: string, value: string): boolean {
  return namesSecret(header) && ownPart(value).length >= SECRET_VALUE_MIN_CHARS;
}

/** What of a header's value stands in the file, without the name of a scheme. */
function ownPart(value: string): string {
  return value.replaceAll(REFERENCE, "").trim().replace(SCHEME, "").trim();
}

/** A block that was commented out still shows its key to everybody. */
function inComments(text: string): Finding[] {
  const found: Finding[] = [];
  visit(
    text,
    {
      onComment(offset, length, startLine) {
        if (!hasShape(text.slice(offset, offset + length))) return;
        const subject = `line ${startLine + 1}`;
        const what = "a comment holds what looks like a credential";
        found.push(warned("config.credentials", { subject, what, mend: MEND }));
      },
    },
    { disallowComments: false, allowTrailingComma: true },
  );
  return found;
}
