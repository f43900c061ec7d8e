export const refusal = (name: string) => `the user ${name} cannot delete himself from here`;
