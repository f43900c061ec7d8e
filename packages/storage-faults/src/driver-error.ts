/** Stands in the message of every driver's error: whoever finds it in an answer has found a leak. */
export const driverText = "insert into \"secrets\" values ('open sesame'); <b>at node_modules/driver</b>";

/** The error of a driver, with all that no client may see. */
export class DriverError extends Error {
  override readonly name = "DriverError";

  constructor(
    /** What happened, in the manner of an SQLSTATE. */
    readonly code: string,
  ) {
    super(`${code}: ${driverText}`);
  }
}
