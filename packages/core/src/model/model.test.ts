import { jest } from "@jest/globals";
import type { ClassDefinition, ModelRepository } from "../storage/index.ts";
import { Model, ModelCache } from "./model.ts";

const define = (name: string, base: string | null, ...attributes: string[]): ClassDefinition => ({
  name,
  base,
  attributes: attributes.map((attribute) => ({ name: attribute, type: "string" })),
  rights: [],
});

describe("Model", () => {
  const classes = [
    define("Leaf", "Branch", "c"),
    define("Branch", "Root", "b"),
    define("Root", null, "a"),
    define("Other", null),
  ];
  const model = new Model({ generation: 1, classes });

  test("lists the attributes of base classes first", () => {
    expect([...(model.find("Leaf")?.attributes.keys() ?? [])]).toEqual(["a", "b", "c"]);
  });

  test("knows the subtree of a class", () => {
    expect([...(model.find("Root")?.subtree ?? [])].toSorted()).toEqual(["Branch", "Leaf", "Root"]);
    expect(model.find("Other")?.subtree).toEqual(["Other"]);
  });

  test.each(["__proto__", "constructor", "toString", "leaf", ""])("has no class %j", (name) => {
    expect(model.find(name)).toBeUndefined();
  });

  test("survives base classes that are missing or form a cycle", () => {
    const odd = new Model({
      generation: 1,
      classes: [define("A1a", "B1b", "x"), define("B1b", "A1a", "y"), define("C1c", "Gone")],
    });
    expect(odd.find("A1a")?.attributes.size).toBe(2);
    expect(odd.find("C1c")?.attributes.size).toBe(0);
  });
});

describe("ModelCache", () => {
  const repository = (generations: number[]) => {
    const load = jest.fn(async () => ({ generation: generations.shift() as number, classes: [] }));
    return { load } satisfies Pick<ModelRepository, "load">;
  };

  test("loads a generation once for concurrent requests", async () => {
    const models = repository([4]);
    const cache = new ModelCache();
    await Promise.all([cache.current(4, models), cache.current(4, models)]);
    await cache.current(4, models);
    expect(models.load).toHaveBeenCalledTimes(1);
  });

  test("loads again for another generation", async () => {
    const models = repository([4, 5]);
    const cache = new ModelCache();
    await cache.current(4, models);
    expect((await cache.current(5, models)).generation).toBe(5);
  });

  test("does not return the older model of a load in progress", async () => {
    const models = repository([4, 5]);
    const cache = new ModelCache();
    const [old, fresh] = await Promise.all([cache.current(4, models), cache.current(5, models)]);
    expect([old.generation, fresh.generation]).toEqual([4, 5]);
  });

  test("loads again after a failed load", async () => {
    const models = repository([4]);
    models.load.mockRejectedValueOnce(new Error("down"));
    const cache = new ModelCache();
    await expect(cache.current(4, models)).rejects.toThrow("down");
    expect((await cache.current(4, models)).generation).toBe(4);
  });
});
