/** What a bucket tells of an object. */
export interface StoredObject {
  readonly size: number;
  /** Of one put it names the bytes: the same ones put again have the same. */
  readonly etag: string;
  readonly uploaded: Date;
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
}

export interface PutOptions {
  /** Where it does not hold, nothing is written, and the put gives `null`. */
  readonly onlyIf?:
    | { readonly etagMatches: string }
    | { readonly etagDoesNotMatch: string }
    | { readonly uploadedBefore: Date };
  readonly httpMetadata?: { readonly contentType: string };
  readonly customMetadata?: Record<string, string>;
}

export interface UploadedPart {
  readonly partNumber: number;
  readonly etag: string;
}

export interface MultipartUpload {
  uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart>;
  complete(parts: UploadedPart[]): Promise<StoredObject>;
  abort(): Promise<void>;
}

/**
 * What of R2 artifacts need, in the platform's own shapes: its bucket fits, and so does one of the tests that refuses what
 * R2 refuses.
 */
export interface Bucket {
  head(key: string): Promise<StoredObject | null>;
  get(
    key: string,
    options: { readonly range: { readonly offset: number; readonly length: number } },
  ): Promise<(StoredObject & { arrayBuffer(): Promise<ArrayBuffer> }) | null>;
  put(key: string, value: Uint8Array, options: PutOptions): Promise<StoredObject | null>;
  delete(keys: string[]): Promise<void>;
  createMultipartUpload(key: string): Promise<MultipartUpload>;
}
