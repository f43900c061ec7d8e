import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runGuide } from "./run-guide.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { customUserEnvironment } from "../new-custom-user.ts";

const masterKey = { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };

describe("guides", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  runGuide("browsers.md", 3);
  runGuide("classes.md");
  runGuide("custom-users.md", 5, customUserEnvironment);
  runGuide("files.md", 9, masterKey);
  runGuide("licences.md", 3);
  runGuide("multi.md", 3);
  runGuide("objects.md");
  runGuide("repeat-requests.md", 3);
  runGuide("synchronisation.md", 9);
  runGuide("older-clients.md", 4);
  runGuide("passwords.md", 6, { ...storedServerKeys, MAIL_DIR: folder });
  runGuide("two-factor.md", 8, masterKey);
});
