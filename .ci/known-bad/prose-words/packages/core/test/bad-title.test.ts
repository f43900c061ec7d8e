test.each([1, 2])("lets nobody in", () => {});
