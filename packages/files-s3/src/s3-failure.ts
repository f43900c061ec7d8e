/**
 * A failed request. It contains nothing of the client's error: that can have the key id, the signature and the request in
 * its members.
 */
export class S3Failure extends Error {
  override readonly name = "S3Failure";

  constructor(
    reason: string,
    /** The code of the server, such as `NoSuchBucket`, or of the system, such as `ECONNREFUSED`; `null` if there is none. */
    readonly code: string | null = null,
  ) {
    super(`The object storage failed. ${reason}`);
  }

  /** The failure of an error of the client. */
  static of(error: unknown): S3Failure {
    if (error instanceof S3Failure) return error;
    const { name, code, $metadata: metadata } = Object(error) as Record<string, unknown>;
    const status = Object(metadata).httpStatusCode as unknown;
    const reported = [code, name].find((each) => typeof each === "string" && /^[A-Za-z][\w.]{1,63}$/.test(each));
    const text = typeof reported === "string" ? reported : null;
    return new S3Failure(`It reports ${[status, text].filter(Boolean).join(" ") || "an unknown error"}.`, text);
  }
}
