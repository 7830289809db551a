import { PACKAGE_MEMBER_FAILURES_MAX_COUNT } from "../../limits/records.ts";
import { memberOf } from "../../json.ts";
import type { Warning } from "../server/answer.ts";
import type { Place, Progress } from "./package-cursor.ts";
import { rowsOf, type Row } from "./package-hits.ts";
import { isNotThere, type PackageMember, unavailableWarning } from "./package-members.ts";
import type { ReadAnswer } from "./read-source.ts";
import { text } from "./schema-document.ts";
import { type FailedRead, mayRecover } from "./source-errors.ts";

/** One member while one page of a search is made. */
export class MemberWalk {
  readonly member: PackageMember;
  /** Null once the member has given all, or is given up. */
  place: Place | null;
  count: number | null;
  exact = true;
  /** What it said about this page, and why it said nothing. */
  body: unknown;
  failure: FailedRead | undefined;
  warning: Warning | undefined;
  /** Whether what it has was not reached, though there was room for it. */
  isLeftBehind = false;
  /** The rest of its page. */
  #rows: readonly Row[] = [];
  #next: string | null = null;
  /** Whether its last answer was a page without rows and with a cursor to another. */
  #isEmpty = false;

  constructor(member: PackageMember, { place, count }: Progress) {
    this.member = member;
    this.place = place;
    this.count = count;
  }

  /** Whether nothing can be said of its next hit before it is asked. */
  get isDry(): boolean {
    return this.place !== null && this.failure === undefined && this.#rows.length === 0;
  }

  /** Whether it has only given pages without rows so far, and says that there are more. */
  get isEmptied(): boolean {
    return this.isDry && this.#isEmpty;
  }

  /** Rows that are there to be taken. */
  get waiting(): number {
    return this.#rows.length;
  }

  /** What came of asking for its place. `all`: the package's members. */
  absorb(answer: ReadAnswer, all: readonly PackageMember[]): void {
    if (this.place === null) return;
    if (!answer.ok) {
      this.#fail(answer, this.place);
      return;
    }
    const { cursor, size, taken, last } = this.place;
    const page = rowsOf(answer.body, this.member, all, size);
    // Where the page moved since it was begun, the last hit that was given says how far it was used.
    const at = last === null ? -1 : page.findIndex(({ mark }) => mark === last);
    const from = at === -1 ? Math.min(taken, page.length) : at + 1;
    const next =
      memberOf(answer.body, "has_more") === true ? text(memberOf(answer.body, "next_cursor")) : undefined;
    // A cursor that leads back would be followed for ever. One behind an empty page is what a server gives that has looked
    // through much and found nothing yet.
    this.#next = next === undefined || next === cursor ? null : next;
    this.#isEmpty = page.length === 0;
    this.#rows = page.slice(from);
    this.place = { cursor, size, taken: from, last, failures: 0 };
    this.body = answer.body;
    const meta = memberOf(answer.body, "meta");
    const count = memberOf(meta, "count");
    this.count = typeof count === "number" ? count : this.count;
    this.exact = memberOf(meta, "count_accuracy") === "exact";
    if (this.#rows.length === 0) this.#turnPage(size);
  }

  /** The next row, where there is one; `size`: the limit for the page after this one. */
  take(size: number): Row | undefined {
    const [row, ...rest] = this.#rows;
    if (row === undefined || this.place === null) return undefined;
    this.#rows = rest;
    this.place = { ...this.place, taken: this.place.taken + 1, last: row.mark };
    if (rest.length === 0) this.#turnPage(size);
    return row;
  }

  /** Says that what it has was not reached in this page; its cursor stays for the next one. */
  leaveBehind(): void {
    this.isLeftBehind = true;
    const { name } = this.member;
    const message = `The source ${JSON.stringify(name)} gave empty pages and says that there is more: the next page looks on.`;
    this.warning = { code: "partial_results", message, detail: { source: name } };
  }

  #turnPage(size: number): void {
    this.place = this.#next === null ? null : { cursor: this.#next, size, taken: 0, last: null, failures: 0 };
    this.#next = null;
  }

  #fail(failure: FailedRead, place: Place): void {
    this.failure = failure;
    if (isNotThere(failure)) {
      this.place = null;
      return;
    }
    const { code } = failure.error;
    const source = { source: this.member.name, reason: code };
    const shown = JSON.stringify(this.member.name);
    if (code === "unsupported_by_source") {
      const message = `The source ${shown} was not searched: ${failure.error.message}`;
      this.warning = { code: "source_skipped_not_applicable", message, detail: source };
    } else if (place.cursor !== null && (failure.status === 410 || code === "invalid_cursor")) {
      const message = `The search in the source ${shown} has expired: search anew to see the rest of it.`;
      this.warning = { code: "partial_results", message, detail: source };
    } else {
      this.warning = unavailableWarning(this.member, failure);
    }
    const failures = place.failures + 1;
    const isOver = !mayRecover(failure) || failures >= PACKAGE_MEMBER_FAILURES_MAX_COUNT;
    this.place = isOver ? null : { ...place, failures };
  }
}
