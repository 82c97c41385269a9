/** Limits of the compared part of a Patient. Ordinary records have far less; otherwise the first values count. */

export const MAX_NAMES = 25
/** Given names of one name, and suffixes. */
export const MAX_NAME_PARTS = 20
/** Phone numbers, and e-mail addresses. */
export const MAX_CONTACTS = 50
export const MAX_ADDRESSES = 25
/** Lines of one address. */
export const MAX_LINES = 4
/** Characters of a part of a name, an address or a contact. */
const MAX_CHARACTERS = 250

/** The part of `text` that is compared. */
export const compared = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : text.slice(0, MAX_CHARACTERS).toWellFormed()
