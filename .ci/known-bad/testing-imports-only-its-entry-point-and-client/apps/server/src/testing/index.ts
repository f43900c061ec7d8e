export const startTestServer = 1;
