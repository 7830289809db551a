/** Thrown inside the server, answered as PDPP's error object. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string | undefined;

  constructor(status: number, code: string, type: string, param?: string) {
    super(`refused: ${code}`);
    this.status = status;
    this.code = code;
    this.type = type;
    this.param = param;
  }
}

export function badRequest(code: string, param?: string): Refusal {
  return new Refusal(400, code, "invalid_request_error", param);
}
