import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guideSuite } from "./guide-suite.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
afterAll(() => rmSync(folder, { recursive: true }));

guideSuite("passwords.md", 6, { ...storedServerKeys, MAIL_FOLDER: folder });
