import {
  isFlagsValue,
  isSecretsName,
  isValueMember,
  namesPair,
  type Regard,
  regardInside,
  regardOfMember,
} from "./member-hiding.ts";
import { mayHoldSecrets, redactSecrets } from "./secret-shapes.ts";

const NOTHING = { text: "", count: 0 };

/** A scalar that a later neighbour may name, and what it was. */
export interface LateScalar<Place> {
  readonly place: Place;
  readonly text: string;
  readonly isString: boolean;
}

/** What an object or array that is being read has said so far of what follows. `Place` is where its reader finds a scalar. */
export class JsonFrame<Place> {
  readonly isObject: boolean;
  readonly #inside: Regard;
  /** Only a list of pairs has pairs. */
  readonly #mayBePair: boolean;
  /** The member that is being read, as it came. */
  name: string | undefined;
  #namedSecret: string | undefined;
  #late: LateScalar<Place>[] = [];
  #taken: Set<string> | undefined;
  #items = 0;
  #first: string | undefined;
  #before: string | undefined;

  constructor(isObject: boolean, regard: Regard, parent: JsonFrame<Place> | undefined) {
    this.isObject = isObject;
    this.#inside = regardInside(regard, isObject);
    this.#mayBePair = !isObject && parent?.isObject === false;
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

  /** How the value is looked at that begins now; `text` of a string. */
  regard(text: string | undefined): Regard {
    if (!this.isObject)
      return isFlagsValue(this.#before, text) ? { under: this.#before ?? "" } : this.#inside;
    const name = this.name ?? "";
    if (this.#namedSecret !== undefined && isValueMember(name)) return { under: this.#namedSecret };
    return regardOfMember(this.#inside, name);
  }

  /** Whether a neighbour behind it may still say that a scalar is a secret. */
  get mayComeLate(): boolean {
    if (this.isObject) return this.#namedSecret === undefined && isValueMember(this.name ?? "");
    return this.#mayBePair && this.#items === 1 && namesPair(this.#before);
  }

  comesLate(scalar: LateScalar<Place>): void {
    this.#late.push(scalar);
  }

  /** Ends a value; `text` is a string's, as it came. */
  ended(text: string | undefined): void {
    if (!this.isObject) {
      this.#items += 1;
      // Three are no pair.
      if (this.#items > 2) this.#late = [];
      else if (this.#items === 1) this.#first = text;
      this.#before = text;
      return;
    }
    if (text !== undefined && isSecretsName(this.name ?? "", text)) this.#namedSecret ??= text;
  }

  /** What turned out to stand under a name that says secret, once all is read. */
  late(): { readonly under: string; readonly scalars: readonly LateScalar<Place>[] } | undefined {
    const under = this.isObject ? this.#namedSecret : this.#first;
    return under === undefined || this.#late.length === 0 ? undefined : { under, scalars: this.#late };
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
