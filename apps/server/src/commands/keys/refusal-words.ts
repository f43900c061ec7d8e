import type { RotationRefusal, ServerKeyKind } from "@sallyport/core";
import type { Configuration } from "../../configuration/index.ts";

/** Why a key was not rotated, in words for whoever asked for it. */
export function refusalWords(
  refusal: RotationRefusal,
  kind: ServerKeyKind,
  { encryption }: Pick<Configuration, "encryption">,
): string {
  const field = kind === "rsa" ? "rsaKeyFile" : "jwtKeyFile";
  const file = `encryption.${field} (${encryption[field]})`;
  switch (refusal) {
    case "overtaken":
      return "Somebody else has rotated the key at the same time; nothing was done.";
    case "sealedByAnother":
      return "Another master key sealed the current key. Use the one that the servers use. If that is gone for good, --old-key-lost puts a new key into its place.";
    case "notLost":
      return "The master key opens the current key, so it is not lost. Leave --old-key-lost out.";
    case "suppliedAlready":
      return `The key in ${file} is the current one already. Put another key into the file first, or take the file out of the configuration to have one made.`;
    case "suppliedBefore":
      return `The key in ${file} was replaced before and cannot come back. Put another key into the file, or take the file out of the configuration to have one made.`;
  }
}
