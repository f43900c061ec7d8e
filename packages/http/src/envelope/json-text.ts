/** JSON that is written already: as `data` of a success it is passed on as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}
