import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath, URL } from "node:url";
import { dictionary } from "@zxcvbn-ts/language-common";

/** Prefix length in bytes. The list contains sorted MD5 prefixes of each password and its capitalized form. */
const kept = 5;
const spellings = dictionary["passwords-common"].flatMap((password) => [
  password,
  password.slice(0, 1).toUpperCase() + password.slice(1),
]);
const digests = new Set(
  spellings.map((password) =>
    createHash("md5")
      .update(password)
      .digest("hex")
      .slice(0, 2 * kept),
  ),
);
writeFileSync(
  fileURLToPath(new URL("../packages/crypto/data/breached-passwords.bin", import.meta.url)),
  Buffer.from([...digests].toSorted().join(""), "hex"),
);
