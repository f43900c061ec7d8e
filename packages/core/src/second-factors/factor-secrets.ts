import type { Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { KeyWrapping } from "../keys/key-wrapping.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { FactorKey } from "./second-factor-repository.ts";

/** What shared secrets are sealed for. */
const purpose = "second factor";

/** Seals shared secrets under the master key, each for its owner and app name: in the row of another it is worth nothing. */
export class FactorSecrets {
  /** @param wrapping `null` without a master key: then there are no second factors. */
  constructor(
    private readonly wrapping: KeyWrapping | null,
    private readonly digests: Digests,
  ) {}

  get usable(): boolean {
    return this.wrapping !== null;
  }

  seal(key: FactorKey, secret: string): string {
    return this.required().wrap(bytesOf(this.nameOf(key) + secret), purpose);
  }

  /** The shared secret; 705 without the master key that sealed it, and if it was sealed for somebody else. */
  open(factor: SecondFactor): string {
    const bytes = this.required().unwrap(factor.sealedSecret, purpose);
    const text = bytes === undefined ? "" : String.fromCodePoint(...bytes);
    const name = this.nameOf(factor);
    if (!text.startsWith(name))
      throw new ServiceError(705, { detail: "The secret of a second factor was not sealed here, for whom it is." });
    return text.slice(name.length);
  }

  private nameOf({ subject, appName }: FactorKey): string {
    return this.digests.sha256(`${subject}\0${appName}`);
  }

  private required(): KeyWrapping {
    if (this.wrapping === null)
      throw new ServiceError(705, { detail: "There is no master key, and so no second factor." });
    return this.wrapping;
  }
}

/** Digests and Base32 are ASCII. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
