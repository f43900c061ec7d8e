import { startTestService, type TestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

describe("traps", () => {
  let service: TestService;

  beforeAll(async () => {
    const databases = { "": { ...tickets, apps: [{ name: "test-app", seats: 3 }] } };
    const passwords = { resetLink: "https://app.example.com/new-password#{token}" };
    service = await startTestService({ databases, licences: true, configuration: { passwords } });
  });
  afterEach(() => service.reset());
  afterAll(() => service.close());

  const request = () => service.anonymous().post("/v1/resetPassword").send({ user: "ada" }).expect(200);

  test("returns the code and link of a password reset, with which a new password is set", async () => {
    await request();
    const mail = await service.mail.latest("ada@example.com");
    expect(mail.subject).toMatch(/^A new password for/);
    const [code = ""] = mail.codes;
    expect(mail.links).toEqual([`https://app.example.com/new-password#${code}`]);
    expect(mail.html).toContain(code);
    const body = { resetPasswordToken: code, newPassword: "a quite new password" };
    await service.anonymous().post("/v1/confirmResetPassword").send(body).expect(200);
    await service.as("ada", { password: "a quite new password" }).get("/_CheckSession").expect(200);
    expect((await service.mail.latest("ada@example.com")).subject).toMatch(/^Your password for .* was changed$/);
  });

  test("waits for the request that causes the mail", async () => {
    const mail = service.mail.latest("ada@example.com");
    await request();
    expect((await mail).to).toBe("ada@example.com");
  });

  test("says which mail there is instead, and forgets it with a reset", async () => {
    await request();
    await expect(service.mail.latest("bob@example.com", { within: 50 })).rejects.toThrow(
      /^No mail to bob@example\.com within 50 ms\. Received mail:\n {2}ada@example\.com: A new password/,
    );
    await service.reset();
    expect(await service.mail.all()).toEqual([]);
  });

  test("receives signed messages about seats", async () => {
    await service.as("ada").get("/_CheckSession").expect(200);
    const opened = await service.licences.latest("session.opened");
    expect(opened.data).toMatchObject({ database: "", seats: [{ appName: "test-app", limit: 3, taken: 1 }] });
    expect(await service.licences.all("session.opened")).toEqual([opened]);
  });

  test("refuses messages, which the service repeats later", async () => {
    service.licences.refuse(1);
    await service.as("ada").get("/_CheckSession").expect(200);
    expect(await service.licences.all("session.opened")).toEqual([]);
    expect(service.licences.refused).toHaveLength(1);
    await service.clock.advance("2 min");
    const { id } = await service.licences.latest("session.opened");
    expect(id).toBe(service.licences.refused[0]?.id);
  });

  test("names the missing option of a service without a licence server or providers", async () => {
    const plain = await startTestService({ databases: { "": tickets } });
    try {
      expect(() => plain.licences).toThrow("Start it with `licences: true`.");
      expect(() => plain.providers).toThrow("Start it with `providers: true`.");
    } finally {
      await plain.close();
    }
  });
});
