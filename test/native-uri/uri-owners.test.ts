import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTEST_CANDIDATES_MAX_COUNT } from "../../src/limits.ts";
import { type ListedUri, uriOwners } from "../../src/native-uri/uri-owners.ts";
import { matchTemplate } from "../../src/uri-template/match-template.ts";
import { template } from "../uri-template/templates.ts";

const resource = (server: string, text: string): ListedUri => ({ server, text, isTemplate: false });
const templated = (server: string, text: string): ListedUri => ({ server, text, isTemplate: true });

describe("who has a URI", () => {
  it("contests what two servers list, and nothing else", () => {
    const owners = uriOwners([resource("a", "x://1"), resource("b", "x://1"), resource("a", "x://2")]);
    expect(owners.isContested("a", "x://1")).toBe(true);
    expect(owners.isContested("b", "x://1")).toBe(true);
    expect(owners.isContested("a", "x://2")).toBe(false);
    expect(owners.isContested("b", "x://2")).toBe(true);
    expect(owners.isContested("b", "x://3")).toBe(false);
    expect(owners.lists("a", "x://2")).toBe(true);
    expect(owners.lists("b", "x://2")).toBe(false);
  });

  it("contests what another server's template gives, and that template", () => {
    const owners = uriOwners([resource("a", "x://1"), templated("b", "x://{id}"), resource("a", "x://1/2")]);
    expect(owners.isContested("a", "x://1")).toBe(true);
    expect(owners.isContested("a", "x://1/2")).toBe(false);
    expect(owners.isContested("b", "x://9")).toBe(false);
    expect(owners.isContestedTemplate("b", "x://{id}")).toBe(true);
    expect(owners.isContestedTemplate("b", "x://{id}/9")).toBe(false);
  });

  it("has what a server lists and what its templates give, and nothing by another's", () => {
    const owners = uriOwners([
      resource("a", "x://1"),
      templated("a", "y://{id}"),
      templated("b", "z://{id}"),
    ]);
    for (const uri of ["x://1", "y://7"])
      expect([owners.has("a", uri), owners.has("b", uri)]).toEqual([true, false]);
    for (const uri of ["x://2", "y://7/8", "z://7"]) expect(owners.has("a", uri)).toBe(false);
  });

  it("knows which servers have any, and which URIs somebody lists", () => {
    const owners = uriOwners([resource("a", "x://1"), templated("b", "y://{id}")]);
    expect(["a", "b", "c"].map((server) => owners.hasAny(server))).toEqual([true, true, false]);
    expect(["x://1", "y://7", "y://{id}"].map((uri) => owners.isListed(uri))).toEqual([true, false, false]);
  });

  it("does not contest what one server alone lists in two ways", () => {
    const owners = uriOwners([
      resource("a", "x://1"),
      templated("a", "x://{id}"),
      templated("a", "x://{+id}"),
    ]);
    expect(owners.isContested("a", "x://1")).toBe(false);
    expect(owners.isContestedTemplate("a", "x://{id}")).toBe(false);
  });

  it.each([
    ["x://{a}", "x://{b}", true],
    ["x://{a}/c", "x://{b}/d", false],
    ["x://{a}", "y://{a}", false],
    ["x://d/{a}", "x://{+b}", true],
    ["x://{+b}", "x://d/{a}", true],
    ["{+b}", "x://d/{a}", true],
    ["x://{a}.json", "x://f{b}", true],
    ["x://{a", "x://{a", true],
    ["x://{a", "x://{b}", false],
  ])("contests %s where another server's %s may give the same: %j", (own, other, expected) => {
    const owners = uriOwners([templated("a", own), templated("b", other)]);
    expect(owners.isContestedTemplate("a", own)).toBe(expected);
    expect(owners.isContestedTemplate("b", other)).toBe(expected);
  });

  it("contests what has too many candidates to tell", () => {
    const many = Array.from({ length: CONTEST_CANDIDATES_MAX_COUNT }, (_, at) =>
      templated("b", `x://{a}/${at}`),
    );
    expect(uriOwners(many).isContested("a", "x://q")).toBe(false);
    expect(uriOwners([...many, templated("c", "x://{a}/x")]).isContested("a", "x://q")).toBe(true);
    const listed = Array.from({ length: CONTEST_CANDIDATES_MAX_COUNT }, (_, at) =>
      resource("b", `x://q/${at}`),
    );
    expect(uriOwners(listed).isContestedTemplate("a", "x://{a}")).toBe(false);
    expect(uriOwners([...listed, resource("b", "x://q/x")]).isContestedTemplate("a", "x://{a}")).toBe(true);
  });

  it("looks at no more than its bound of other servers' templates, whatever they all begin with", () => {
    const meter = { candidates: 0 };
    const many = Array.from({ length: 10_000 }, (_, at) => templated("b", `{a}/${at}`));
    const owners = uriOwners(many, meter);
    for (let at = 0; at < 500; at += 1) owners.isContested("a", `x://${at}`);
    expect(meter.candidates).toBeLessThanOrEqual(500 * (CONTEST_CANDIDATES_MAX_COUNT + 1));
  });

  it("holds a URI against few templates, however many there are", () => {
    const listed: ListedUri[] = [];
    for (const server of ["a", "b", "c", "d"]) {
      for (let at = 0; at < 2_500; at += 1) listed.push(resource(server, `${server}://things/${at}`));
      for (let at = 0; at < 500; at += 1) listed.push(templated(server, `${server}://kinds/${at}/{id}`));
      for (let at = 0; at < 500; at += 1) listed.push(templated(server, `any:${at}://{+rest}`));
    }
    const meter = { candidates: 0 };
    const owners = uriOwners(listed, meter);
    const contested = listed.filter(({ server, text, isTemplate }) =>
      isTemplate ? owners.isContestedTemplate(server, text) : owners.isContested(server, text),
    );
    expect(contested).toHaveLength(2_000);
    expect(contested.every(({ text }) => text.startsWith("any:"))).toBe(true);
    expect(meter.candidates).toBeLessThan(2 * listed.length);
  });

  const entry = fc.record({
    server: fc.constantFrom("a", "b", "c"),
    text: fc.constantFrom(
      "x://1",
      "x://2",
      "x://1/2",
      "x://{i}",
      "x://{+i}",
      "x://{i}/2",
      "x://1{/i}",
      "{+all}",
      "{",
      "__proto__",
    ),
    isTemplate: fc.boolean(),
  });

  it("does not depend on the order in which they are listed", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(entry, { selector: (one) => JSON.stringify(one), maxLength: 12 }),
        (listed) => {
          const [one, other] = [uriOwners(listed), uriOwners(listed.toReversed())];
          for (const { server, text } of listed) {
            expect(one.isContested(server, text)).toBe(other.isContested(server, text));
            expect(one.isContestedTemplate(server, text)).toBe(other.isContestedTemplate(server, text));
          }
        },
      ),
    );
  });

  it("contests every URI that two servers have, and every template that gives one", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), (listed) => {
        const owners = uriOwners(listed);
        const legal = listed.filter(({ isTemplate, text }) => isTemplate && text !== "{");
        for (const { server, text } of listed.filter(({ isTemplate }) => !isTemplate)) {
          const givers = legal.filter(
            (one) => one.server !== server && matchTemplate(template(one.text), text),
          );
          const others = listed.filter(
            (one) => !one.isTemplate && one.text === text && one.server !== server,
          );
          expect(owners.isContested(server, text)).toBe(givers.length + others.length > 0);
          for (const giver of givers) expect(owners.isContestedTemplate(giver.server, giver.text)).toBe(true);
        }
      }),
    );
  });
});
