import { type Callback, signIn } from "@sallyport/fake-identity-providers";
import { startLogIn, finishLogIn } from "./browser.ts";
import { linksOf } from "./provider-fixture.ts";
import { onProviderServers, useProviders } from "./on-provider-servers.ts";

/** Provider callbacks that are invalid. */
onProviderServers("invalid callbacks of providers", (server, fixture) => {
  useProviders(server, fixture);
  test("refuses a callback with parts that do not match", async () => {
    const start = async () => {
      const { location, cookie } = await startLogIn(server(), "google");
      return { callback: await signIn(location, "anna"), cookie };
    };
    const codeOf = async (
      change: (
        attempt: Awaited<ReturnType<typeof start>>,
      ) => Partial<Awaited<ReturnType<typeof start>>> & { cookie?: string | null },
    ) => {
      const attempt = await start();
      const { callback, cookie } = { ...attempt, ...change(attempt) };
      const { code, body } = await finishLogIn(server(), callback, cookie ?? null);
      expect(body).not.toHaveProperty("data");
      // Spent, if it was named.
      expect((await finishLogIn(server(), attempt.callback, attempt.cookie)).code).toMatch(/^(324|0)$/);
      return code;
    };
    const other = await start();
    const parameters = (callback: typeof other.callback, change: Record<string, string>) =>
      new Map([...callback.parameters, ...Object.entries(change)]);
    expect(await codeOf(({ cookie: _cookie }) => ({ cookie: null as never }))).toBe("324");
    expect(await codeOf(() => ({ cookie: other.cookie }))).toBe("324");
    expect(await codeOf(({ cookie }) => ({ cookie: `${cookie.split("=")[0]}=${"A".repeat(43)}` }))).toBe("324");
    expect(
      await codeOf(({ callback }) => ({ callback: { ...callback, parameters: parameters(callback, { state: "" }) } })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, parameters: parameters(callback, { state: "A".repeat(43) }) },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: {
          ...callback,
          parameters: parameters(callback, { state: other.callback.parameters.get("state") ?? "" }),
        },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, parameters: parameters(callback, { code: "nobody" }) },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/google/", "/microsoft/") },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/under/", "/under/second/") },
      })),
    ).toBe("324");
    expect(
      await codeOf(({ callback }) => ({
        callback: { ...callback, address: callback.address.replace("/google/", "/nobody/") },
      })),
    ).toBe("698");
    expect(await linksOf(server())).toEqual([]);
  });

  test("refuses a callback with extra parts, and spends it", async () => {
    const change: Readonly<
      Record<
        string,
        (trial: { callback: Callback; cookie: string; codeOfAnother: string }) => {
          parameters?: Record<string, string>;
          cookie?: string;
        }
      >
    > = {
      "an error beside the code": () => ({ parameters: { error: "access_denied" } }),
      "another issuer": () => ({ parameters: { iss: "https://issuer.example" } }),
      "the code of another log-in": ({ codeOfAnother }) => ({ parameters: { code: codeOfAnother } }),
      "two cookies that differ": ({ cookie }) => ({ cookie: `${cookie}; ${cookie.split("=")[0]}=${"B".repeat(43)}` }),
      "a cookie in quotation marks": ({ cookie }) => ({ cookie: cookie.replace(/=(.*)$/, '="$1"') }),
    };
    for (const [what, made] of Object.entries(change)) {
      const [other, { location, cookie }] = await Promise.all([
        startLogIn(server(), "google"),
        startLogIn(server(), "google"),
      ]);
      const [codeOfAnother, callback] = [
        (await signIn(other.location, "ben")).parameters.get("code") ?? "",
        await signIn(location, "anna"),
      ];
      const { parameters = {}, cookie: shown = cookie } = made({ callback, cookie, codeOfAnother });
      const answer = await finishLogIn(
        server(),
        { ...callback, parameters: new Map([...callback.parameters, ...Object.entries(parameters)]) },
        shown,
      );
      expect([what, answer.code, answer.body.data, (await finishLogIn(server(), callback, cookie)).code]).toEqual([
        what,
        "324",
        undefined,
        "324",
      ]);
    }
    const { location, cookie } = await startLogIn(server(), "google");
    expect((await finishLogIn(server(), await signIn(location, "anna"), `${cookie}; ${cookie}`)).code).toBe("0");
  });

  test("accepts its cookie only under the name for the path of the callback, and clears that one", async () => {
    const forms = { apple: "__Host-sallyport_login_", google: "sallyport_login_" } as const;
    for (const [provider, prefix] of Object.entries(forms)) {
      const start = async () => {
        const { location, cookie } = await startLogIn(server(), provider);
        expect(cookie).toMatch(new RegExp(`^${prefix}[0-9a-f]{8}=`));
        return {
          callback: await signIn(location, "anna"),
          cookie,
          renamed: cookie.replace(prefix, prefix === forms.apple ? forms.google : forms.apple),
        };
      };
      const [right, renamed, cased, both, outvoted] = [
        await start(),
        await start(),
        await start(),
        await start(),
        await start(),
      ];
      const { code, headers } = await finishLogIn(server(), right.callback, right.cookie);
      const attributes =
        provider === "apple"
          ? "Path=/; Max-Age=0; HttpOnly; SameSite=None; Secure"
          : "Path=/under/v1/google/callback; Max-Age=0; HttpOnly; SameSite=Lax";
      expect([code, headers["set-cookie"]]).toEqual(["0", [`${right.cookie.split("=")[0]}=; ${attributes}`]]);
      expect((await finishLogIn(server(), renamed.callback, renamed.renamed)).code).toBe("324");
      expect(
        (
          await finishLogIn(
            server(),
            cased.callback,
            cased.cookie.replace(/^[^=]*/, (name) =>
              prefix === forms.apple ? name.toLowerCase() : name.toUpperCase(),
            ),
          )
        ).code,
      ).toBe("324");
      // A cookie planted under the other name has no effect.
      expect(
        (
          await finishLogIn(
            server(),
            both.callback,
            `${both.renamed.replace(/=.*/, `=${"A".repeat(43)}`)}; ${both.cookie}`,
          )
        ).code,
      ).toBe("0");
      expect(
        (
          await finishLogIn(
            server(),
            outvoted.callback,
            `${outvoted.renamed}; ${outvoted.cookie.replace(/=.*/, `=${"A".repeat(43)}`)}`,
          )
        ).code,
      ).toBe("324");
    }
  });

  const form = "application/x-www-form-urlencoded";
  test.each([
    ["google", null, "state[]=a", "324"],
    ["google", null, "state[a]=b&code=c", "324"],
    ["google", null, "state=%00&code=%00", "324"],
    ["google", null, "state=%0d%0aSet-Cookie:%20a=b", "324"],
    ["google", null, "state=%ff", "307"],
    ["google", null, "__proto__=a&constructor=b", "324"],
    ["google", null, "redirect_uri=https://evil.example&return=//evil.example", "324"],
    ["google", null, `qb64=${Buffer.from("state=a&state=b").toString("base64url")}`, "307"],
    ["google", null, "state=a&state=b", "307"],
    ["google", null, "state=a&qb64=%7B%7D", "307"],
    ["google", form, "state=a", "207"],
    ["apple", form, "state=a&state=b", "307"],
    ["apple", form, "state[]=a", "324"],
    ["apple", form, "state=%00", "324"],
    ["apple", form, "state=%ff", "307"],
    ["apple", form, `code=${"c".repeat(20_000)}`, "307"],
    ["apple", form, `state=${"s".repeat(70_000)}`, "801"],
    ["apple", form, "", "300"],
    ["apple", "application/json", '{"state":"a"}', "207"],
    ["apple", "multipart/form-data; boundary=b", "--b--", "207"],
    ["apple", `${form}; charset=utf-16`, "state=a", "207"],
  ])("refuses an invalid callback of %s: %s %.40s", async (provider, contentType, sent, code) => {
    const address = `${server().url}/v1/${provider}/callback`;
    const answer =
      contentType === null
        ? await fetch(`${address}?${sent}`, { redirect: "manual" })
        : await fetch(address, {
            method: "POST",
            redirect: "manual",
            headers: { "content-type": contentType },
            body: sent,
          });
    const { status } = (await answer.json()) as { status: { internalStatus: string } };
    expect([
      status.internalStatus,
      ...["location", "set-cookie", "cache-control", "referrer-policy"].map((name) => answer.headers.get(name)),
    ]).toEqual([code, null, null, "no-store", "no-referrer"]);
  });
});
