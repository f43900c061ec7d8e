export default { create: async () => {} };
