/** Somebody else has bound the identity meanwhile; what was done for it is undone. */
export class TakenIdentityError extends Error {
  override readonly name = "TakenIdentityError";
}
