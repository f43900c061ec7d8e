test("refuses unknown users", () => {
  call("nobody of this name");
});
