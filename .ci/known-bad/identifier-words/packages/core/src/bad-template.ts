export const text = (trouble: string) => `one: ${trouble}`;
