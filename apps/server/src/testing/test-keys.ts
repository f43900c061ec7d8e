import type { NewServerKey, ServerKeyPair } from "@sallyport/core";
import { NodeServerKeys } from "@sallyport/crypto";

/** RSA key pairs of this process, in the order of their use. Generating one takes most of the time of a first log-in. */
const rsaPairs: Promise<ServerKeyPair>[] = [];

/** Server keys whose RSA pairs all services of a process share. A service gets each pair once until its reset. */
export class SharedServerKeys extends NodeServerKeys {
  private used = 0;

  override generate(spec: NewServerKey): Promise<ServerKeyPair> {
    if (spec.kind !== "rsa" || (spec.bits ?? 2048) !== 2048) return super.generate(spec);
    const index = this.used;
    this.used += 1;
    return (rsaPairs[index] ??= super.generate(spec));
  }

  reset(): void {
    this.used = 0;
  }
}
