import {
  isFlagsValue,
  isSecretsName,
  isValueMember,
  namesPair,
  saysSecret,
  type Regard,
  regardInside,
  regardOfMember,
} from "./member-hiding.ts";
import { looksLikeCode } from "./code-like.ts";
import { maySaySecret } from "./secret-names.ts";
import { mayHoldSecrets, redactSecrets } from "./secret-shapes.ts";

const NOTHING = { text: "", count: 0 };

/** A scalar that a later neighbour may name, and what it was. */
export interface LateScalar<Place> {
  readonly place: Place;
  readonly text: string;
  readonly isString: boolean;
}

interface WaitingScalar<Place> extends LateScalar<Place> {
  /** It waits for a neighbour's name. */
  readonly isValue: boolean;
  /** It waits for the kind of the manifest around its object. */
  readonly isData: boolean;
  /** Its object has ended, and it waits for the kind of the one that holds it. */
  readonly isAdopted: boolean;
}

/** One that turned out to stand under a name that says secret. */
export interface HiddenScalar<Place> extends LateScalar<Place> {
  readonly under: string;
}

/** Of a manifest of Kubernetes: all strings of these members are secrets where its kind is `Secret`, whatever their names. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(["data", "stringData"]);
const SECRET_KIND = "Secret";
const UNDER_DATA = "secret";

/** What an object or array that is being read has said so far of what follows. `Place` is where its reader finds a scalar. */
export class JsonFrame<Place> {
  readonly isObject: boolean;
  readonly #inside: Regard;
  /** Only a list of pairs has pairs. */
  readonly #mayBePair: boolean;
  /** The member that is being read, as it came. */
  name: string | undefined;
  #namedSecret: string | undefined;
  #late: WaitingScalar<Place>[] = [];
  #kind: "unknown" | "secret" | "other" = "unknown";
  /** Whether this is the data of a manifest that is, or may be, a secret's. */
  readonly #data: "secret" | "unknown" | "none";
  #taken: Set<string> | undefined;
  #items = 0;
  #first: string | undefined;
  #before: string | undefined;

  constructor(isObject: boolean, regard: Regard, parent: JsonFrame<Place> | undefined) {
    this.isObject = isObject;
    this.#inside = regardInside(regard, isObject);
    this.#mayBePair = !isObject && parent?.isObject === false;
    this.#data = isObject && parent !== undefined ? parent.#dataInside() : "none";
  }

  #dataInside(): "secret" | "unknown" | "none" {
    if (!this.isObject || this.#kind === "other") return "none";
    return DATA_MEMBERS.has(this.name ?? "") ? this.#kind : "none";
  }

  /** Says of an object that is all there what kind of manifest it is. */
  foretell(kind: unknown): void {
    this.#kind = kind === SECRET_KIND ? "secret" : "other";
  }

  get hasLate(): boolean {
    return this.#late.length > 0;
  }

  /** Begins a member; gives its name as it is to be written, which is the name itself where it holds no secret. */
  member(name: string): { readonly name: string; readonly count: number } {
    this.name = name;
    const { text, count } = mayHoldSecrets(name) ? redactSecrets(name) : NOTHING;
    if (count === 0) return { name, count };
    // Two names may become one by what is taken out of them: a reader of JSON would then see one member only.
    this.#taken ??= new Set();
    let free = text;
    for (let copy = 2; this.#taken.has(free); copy += 1) free = `${text} (${copy})`;
    this.#taken.add(free);
    return { name: free, count };
  }

  /** How the value is looked at that begins now; `text` of a string, of which it may be a beginning. */
  regard(text: string | undefined): Regard {
    if (!this.isObject)
      return isFlagsValue(this.#before, text) ? { under: this.#before ?? "" } : this.#inside;
    if (this.#data === "secret" && text !== undefined) return { under: UNDER_DATA };
    const name = this.name ?? "";
    if (this.#namedSecret !== undefined && isValueMember(name)) return { under: this.#namedSecret };
    if (text !== undefined && maySaySecret(name) && looksLikeCode(text)) return { under: name };
    return regardOfMember(this.#inside, name);
  }

  /** Whether a neighbour behind it may still say that a scalar is a secret. */
  get mayComeLate(): boolean {
    if (this.isObject) return this.#waitsForName() || this.#data === "unknown";
    return this.#mayBePair && this.#items === 1 && namesPair(this.#before);
  }

  #waitsForName(): boolean {
    return this.#namedSecret === undefined && isValueMember(this.name ?? "");
  }

  comesLate(scalar: LateScalar<Place>): void {
    const isValue = !this.isObject || this.#waitsForName();
    const isData = this.#data === "unknown" && scalar.isString;
    if (isValue || isData) this.#late.push({ ...scalar, isValue, isData, isAdopted: false });
  }

  /** Takes over, from an object in it that has ended, what waits for the kind of this one. */
  adopt(inner: JsonFrame<Place>): void {
    if (inner.#data !== "unknown" || this.#kind === "other") return;
    const isNamed = inner.#namedSecret !== undefined;
    for (const scalar of inner.#late)
      if (scalar.isData && !(scalar.isValue && isNamed))
        this.#late.push({ ...scalar, isValue: false, isData: false, isAdopted: true });
  }

  /** Ends a value; `text` is a string's, as it came; a word may be `true`. */
  ended(text: string | undefined, isTrue = false): void {
    if (!this.isObject) {
      this.#items += 1;
      // Three are no pair.
      if (this.#items > 2) this.#late = [];
      else if (this.#items === 1) this.#first = text;
      this.#before = text;
      return;
    }
    if (isTrue && saysSecret(this.name ?? "")) this.#namedSecret ??= UNDER_DATA;
    if (text === undefined) return;
    if (this.name === "kind" && this.#kind === "unknown") {
      this.foretell(text);
      // What its data held waits no more.
      if (text !== SECRET_KIND) this.#late = this.#late.filter(({ isAdopted }) => !isAdopted);
    }
    if (isSecretsName(this.name ?? "", text)) this.#namedSecret ??= text;
  }

  /** What turned out to stand under a name that says secret, once all is read. */
  late(): readonly HiddenScalar<Place>[] {
    const named = this.isObject ? this.#namedSecret : this.#first;
    const hidden: HiddenScalar<Place>[] = [];
    for (const scalar of this.#late) {
      const ofKind = scalar.isAdopted && this.#kind === "secret" ? UNDER_DATA : undefined;
      const under = ofKind ?? (scalar.isValue ? named : undefined);
      if (under !== undefined) hidden.push({ ...scalar, under });
    }
    return hidden;
  }

  /** The first scalar that still waits for a neighbour; those before it, of whose place it `mayWait` no more, are given up. */
  waiting(mayWait: (place: Place) => boolean): Place | undefined {
    const from = this.#late.findIndex(({ place }) => mayWait(place));
    this.#late = from === -1 ? [] : this.#late.slice(from);
    return this.#late[0]?.place;
  }

  /** The string before the item that begins now. */
  get before(): string | undefined {
    return this.#before;
  }
}
