declare module "passport-apple" {
  export const Strategy: unknown;
}
