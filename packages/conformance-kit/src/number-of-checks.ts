/** Number of checks in the kit. Declared separately, so that no check can disappear unnoticed. */
export const numberOfChecks = 983;
