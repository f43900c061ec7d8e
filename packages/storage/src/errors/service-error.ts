import { type ErrorCode, errorEntry } from "./catalogue.ts";

export interface ServiceErrorOptions {
  /** The exact problem, for `debugMessage` and the log. Must not contain secrets or text from the database. */
  readonly detail?: string;
  /** Seconds until a retry can succeed, as a whole number. Sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** A text of the operator for users. Sent as `status.notice`. */
  readonly notice?: string;
  /** Whether the client must synchronize from the beginning. Sent as `Sync-Restart: 1`. */
  readonly restartsSync?: true;
  /** The underlying error, for the log only. */
  readonly cause?: unknown;
}

/**
 * Makes `instanceof` work across copies of this package: the server bundles one copy, and an external storage adapter
 * may bring another. `name` is the class name.
 */
export function brand(errorClass: { readonly prototype: Error }, name: string): void {
  const symbol = Symbol.for(`@sallyport/storage/${name}`);
  Object.defineProperty(errorClass.prototype, symbol, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      // A subclass without a brand of its own falls back to the prototype chain.
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && symbol in value;
    },
  });
}

/** An error with a code of the catalogue. All expected errors are of this class. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;
  readonly notice: string | undefined;
  readonly restartsSync: boolean;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(`${code} ${errorEntry(code).name}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
    this.notice = options.notice;
    this.restartsSync = options.restartsSync === true;
  }

  get status(): number {
    return errorEntry(this.code).status;
  }
}

brand(ServiceError, "ServiceError");

/** Returns 307 for an invalid body or parameter, with its place as a JSON pointer. */
export function faultAt(pointer: string, reason: string): ServiceError {
  return new ServiceError(307, { detail: `at ${pointer}: ${reason}` });
}

/** Formats a JSON pointer for an error detail. Names may be client input, so they are truncated and made printable. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    String(part)
      .slice(0, 64)
      .replaceAll(/[^\x20-\x7e]/g, "?"),
  );
  return `/${parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}
