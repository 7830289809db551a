import { fail, ok, type Result } from "../result.ts";

/**
 * Several byte strings in one, to be read in place:
 *
 *     0   u32  magic
 *     4   u32  version
 *     8   u32  length of the whole in bytes
 *     12  u32  number of sections
 *     16  per section: u32 offset, u32 length
 *         the sections, in order, each at the next multiple of 8, zeros between them
 *
 * Numbers are little-endian. The same sections give the same bytes.
 */
export interface SectionForm {
  /** Four letters, to tell forms apart. */
  readonly magic: number;
  readonly version: number;
  readonly sections: number;
}

/** Why bytes are not read. */
export type PackedFault =
  | { readonly reason: "big_endian" }
  | { readonly reason: "other_format" }
  | { readonly reason: "damaged"; readonly part: string };

const ENTRY_BYTES = 8;
const HEADER_BYTES = 16;
const ALIGNMENT_BYTES = 8;

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}

export function damaged(part: string): Result<never, PackedFault> {
  return fail({ reason: "damaged", part });
}

/** Bytes that are written where they shall stand: large ones are then in memory once. */
export interface Packed {
  readonly length: number;
  /** Fills `target`, which is zeros, as long as they are, and aligned as a section is. */
  readonly writeTo: (target: Uint8Array) => void;
}

export type Section = Uint8Array | Packed;

/** Several sections as one, which may be a section itself. */
export function sectionsOf(form: SectionForm, sections: readonly Section[]): Packed {
  const start = aligned(HEADER_BYTES + ENTRY_BYTES * sections.length);
  const length = sections.reduce((sum, section) => sum + aligned(section.length), start);
  const writeTo = (bytes: Uint8Array): void => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (const [at, value] of [form.magic, form.version, length, sections.length].entries()) {
      view.setUint32(at * 4, value, true);
    }
    let offset = start;
    for (const [at, section] of sections.entries()) {
      view.setUint32(HEADER_BYTES + at * ENTRY_BYTES, offset, true);
      view.setUint32(HEADER_BYTES + at * ENTRY_BYTES + 4, section.length, true);
      if (section instanceof Uint8Array) bytes.set(section, offset);
      else section.writeTo(bytes.subarray(offset, offset + section.length));
      offset += aligned(section.length);
    }
  };
  return { length, writeTo };
}

/** The bytes of what is packed. */
export function bytesOfPacked({ length, writeTo }: Packed): Uint8Array {
  const bytes = new Uint8Array(length);
  writeTo(bytes);
  return bytes;
}

export function packSections(form: SectionForm, sections: readonly Section[]): Uint8Array {
  return bytesOfPacked(sectionsOf(form, sections));
}

/**
 * The sections as views, each aligned for any array of numbers; bytes that begin in the middle of a word are copied once.
 * Typed arrays read in the host's byte order, so a big-endian host is refused.
 */
export function openSections(
  form: SectionForm,
  bytes: Uint8Array,
  isLittleEndian = HOST_IS_LITTLE_ENDIAN,
): Result<readonly Uint8Array[], PackedFault> {
  if (!isLittleEndian) return fail({ reason: "big_endian" });
  if (bytes.length < HEADER_BYTES) return damaged("header");
  const whole = bytes.byteOffset % ALIGNMENT_BYTES === 0 ? bytes : bytes.slice();
  const view = new DataView(whole.buffer, whole.byteOffset, whole.length);
  if (view.getUint32(0, true) !== form.magic || view.getUint32(4, true) !== form.version) {
    return fail({ reason: "other_format" });
  }
  const [length, count] = [view.getUint32(8, true), view.getUint32(12, true)];
  const start = aligned(HEADER_BYTES + ENTRY_BYTES * form.sections);
  if (length !== whole.length || count !== form.sections || length < start) return damaged("header");
  const sections: Uint8Array[] = [];
  let next = start;
  for (let at = 0; at < count; at += 1) {
    const from = view.getUint32(HEADER_BYTES + at * ENTRY_BYTES, true);
    const bytesLong = view.getUint32(HEADER_BYTES + at * ENTRY_BYTES + 4, true);
    if (from !== next || from + bytesLong > length) return damaged("sections");
    sections.push(whole.subarray(from, from + bytesLong));
    next += aligned(bytesLong);
  }
  return next === length ? ok(sections) : damaged("sections");
}
