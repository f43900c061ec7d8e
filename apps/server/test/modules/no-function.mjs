export const openStore = () => null;
