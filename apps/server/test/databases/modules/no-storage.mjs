export const openStorage = async () => ({ capabilities: {}, repositories: {}, health() {}, now() {}, close() {} });
