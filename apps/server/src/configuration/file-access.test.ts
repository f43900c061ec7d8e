import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration } from "./load-configuration.ts";
import { forbiddenBecause, folderProblem, secretFileFaults } from "./file-access.ts";

/** Windows has no such permissions. */
const posix = process.geteuid === undefined ? describe.skip : describe;

posix("files with secrets", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-secret-files-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const own = process.geteuid?.() ?? 0;
  const file = (mode: number, text = "x"): string => {
    const path = join(folder, `${mode.toString(8)}-${text.length}`);
    rmSync(path, { force: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  test.each([0o600, 0o400])("of the own user with mode %o are well", (mode) => {
    expect(secretFileFaults([file(mode)], own)).toEqual([]);
  });

  test.each([0o644, 0o604, 0o620, 0o666])("with mode %o are open to others", (mode) => {
    const path = file(mode);
    expect(secretFileFaults([path, path], own)).toEqual([
      {
        fault: expect.stringContaining(`read or write the key file ${path} (mode 0${mode.toString(8)})`),
        fix: `chmod 600 ${path}`,
      },
    ]);
  });

  test("may be readable by the group only if they belong to root", () => {
    expect(secretFileFaults([file(0o640)], own)).toHaveLength(own === 0 ? 0 : 1);
  });

  test("of another user are told with both ids", () => {
    const path = file(0o600);
    if (own === 0) chownSync(path, 65_534, 65_534);
    const [owner, reader] = own === 0 ? [65_534, 0] : [own, own + 1];
    const fault = `The key file ${path} belongs to user id ${owner}, who can change it. This process has user id ${reader}.`;
    expect(secretFileFaults([path], reader)).toEqual([{ fault, fix: `chown ${reader} ${path}` }]);
  });

  test("that a container platform mounts are well", () => {
    expect(secretFileFaults([file(0o444)], own + 1, folder)).toEqual([]);
    expect(secretFileFaults([file(0o444)], own, `${folder}/other`)).toHaveLength(1);
  });

  test("that are missing are not judged", () => {
    expect(secretFileFaults([join(folder, "none")])).toEqual([]);
  });

  test("are those of variables, of sections and of databases", () => {
    const url = file(0o600, "postgres://sallyport@127.0.0.1/sallyport");
    const key = file(0o600, "a".repeat(100));
    const { secretFiles, warnings } = loadConfiguration({
      content: { databases: [{ storage: { urlFile: url } }], encryption: { rsaKeyFile: key } },
      environment: {
        SMTP_PASSWORD_FILE: key,
        SMTP_HOST: "127.0.0.1",
        SMTP_USER: "a",
        MAIL_FROM: "a@mail.example",
        MASTER_KEY: Buffer.alloc(32, "k").toString("base64"),
      },
    });
    expect(secretFiles).toEqual([key, key, url]);
    expect(warnings.join()).not.toContain(key);
  });

  test("and directories are told with their owner, or that of the nearest parent", () => {
    const me = `belongs to user id ${own} with mode 0700, and this process has user id ${own}`;
    expect(forbiddenBecause(folder)).toBe(`: ${folder} ${me}`);
    expect(forbiddenBecause(join(folder, "none", "below"))).toBe(`: ${folder} ${me}`);
  });

  const asOther = own === 0 ? test.skip : test;
  asOther("a directory that cannot be written is told with its owner", () => {
    const path = join(folder, "closed");
    expect(folderProblem(path, { mayBeMissing: true, written: true })).toBeNull();
    chmodSync(folder, 0o500);
    expect(folderProblem(path, { mayBeMissing: true, written: true })).toContain(
      `cannot be created: ${folder} belongs to`,
    );
    expect(folderProblem(folder, { written: true })).toContain(`is not writable: ${folder} belongs to`);
    chmodSync(folder, 0o700);
  });
});
