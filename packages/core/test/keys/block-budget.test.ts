import { ServiceError } from "@sallyport/storage";
import { BlockBudget, KnownClientKeys, ProcessorBudget } from "../../src/index.ts";
import { digests, type Fixture, openFixture } from "../fixture.ts";

/** Ten messages of 100 ms in a minute. */
const share = 1 / 60;

describe("the budget of encrypted log-ins", () => {
  let fixture: Fixture;
  let now: number;
  beforeEach(async () => {
    fixture = await openFixture();
    now = 1_000_000;
  });

  const after = (_milliseconds: number, _call: () => void) => () => {};
  const budgetOf = () =>
    new BlockBudget(new KnownClientKeys(digests, async () => {}), {
      budget: new ProcessorBudget({ share, now: () => now }),
      concurrency: 1,
      after,
    });

  /** Decrypts one message for 100 ms. Returns its code; 0 for a log-in that succeeds, 301 for another one. */
  async function logIn(
    budget: BlockBudget,
    clientKey: string,
    succeeds: boolean,
    network = "192.0.2.1",
  ): Promise<number> {
    const context = { ...fixture.context, origin: { address: network, network } };
    try {
      const { succeeded } = await budget.run(context, { clientKey, length: 344 }, ({ inTurn }) =>
        inTurn(async (spent) => spent(100)),
      );
      if (succeeds) succeeded();
      return succeeds ? 0 : 301;
    } catch (error) {
      return (error as ServiceError).code;
    }
  }

  async function attack(budget: BlockBudget): Promise<number> {
    for (let count = 0; count < 20; count += 1) if ((await logIn(budget, "attacker", false)) === 706) return count;
    return 20;
  }

  test("log-ins that succeed cost none of it", async () => {
    const budget = budgetOf();
    for (let count = 0; count < 100; count += 1) expect(await logIn(budget, "phone", true)).toBe(0);
    expect(await attack(budget)).toBeGreaterThanOrEqual(9);
  });

  test("bounds a network, and no other one", async () => {
    const budget = budgetOf();
    const passed = await attack(budget);
    expect([passed >= 9, passed <= 10]).toEqual([true, true]);
    expect(await logIn(budget, "phone", true)).toBe(706);
    expect(await logIn(budget, "phone", true, "192.0.2.2")).toBe(0);
    now += 60_000;
    expect(await logIn(budget, "phone", true)).toBe(0);
  });

  test("a client key that is known in the network has one of its own, on every server", async () => {
    const [budget, other] = [budgetOf(), budgetOf()];
    expect(await logIn(budget, "phone", true)).toBe(0);
    await attack(budget);
    expect([await logIn(budget, "phone", true), await logIn(budget, "tablet", true)]).toEqual([0, 706]);
    await attack(other);
    expect([await logIn(other, "phone", true), await logIn(other, "tablet", true)]).toEqual([0, 706]);
    while ((await logIn(other, "phone", false)) === 301);
    expect(await logIn(other, "phone", true)).toBe(706);
  });

  test("takes the time of keys that are parsed in vain", async () => {
    const budget = budgetOf();
    const parse = () =>
      budget.run(fixture.context, { clientKey: "phone", length: 344 }, async ({ timed }) => {
        timed(() => (now += 50));
        throw new ServiceError(309);
      });
    const codes: number[] = [];
    for (let count = 0; count < 30; count += 1)
      codes.push(
        await parse().then(
          () => 0,
          ({ code }: ServiceError) => code,
        ),
      );
    expect(codes.filter((code) => code === 309).length).toBeGreaterThanOrEqual(18);
    expect(codes.at(-1)).toBe(706);
  });

  test("what is not decrypted costs nothing", async () => {
    const budget = budgetOf();
    for (let count = 0; count < 100; count += 1)
      await budget.run(fixture.context, { clientKey: "phone", length: 1_000_000 }, async () => {});
    expect(await attack(budget)).toBeGreaterThanOrEqual(9);
  });
});

describe("the budget of other work", () => {
  test("bounds a network, and costs nothing if the work proves the client", () => {
    let now = 1_000_000;
    const budget = new ProcessorBudget({ share, now: () => now });
    const spend = (network: string, proves: boolean) =>
      budget.spend(
        network,
        () => (now += 100),
        () => proves,
      );
    for (let count = 0; count < 100; count += 1) spend("192.0.2.1", true);
    const attack = () => {
      for (let count = 0; count < 100; count += 1) spend("192.0.2.1", false);
    };
    expect(attack).toThrow(expect.objectContaining({ code: 706, retryAfter: expect.any(Number) }));
    expect(() => spend("192.0.2.1", true)).toThrow(expect.objectContaining({ code: 706 }));
    spend("192.0.2.2", false);
    now += 60_000;
    spend("192.0.2.1", false);
    const unlimited = new ProcessorBudget({ share: 0, now: () => now });
    for (let count = 0; count < 100; count += 1) unlimited.spend("192.0.2.1", () => (now += 100));
  });
});
