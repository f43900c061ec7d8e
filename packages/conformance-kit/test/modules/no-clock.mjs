import memory from "./memory.mjs";

export default { ...memory, name: "WithoutClock", create: () => memory.create({ clockOffset: () => 0 }) };
