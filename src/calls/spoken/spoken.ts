/** What reading a spoken (or typed) value gives: its normal form, or a sentence that says what would be right. */
export type Spoken = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly error: string }

export const understood = (value: string): Spoken => ({ ok: true, value })

export const unclear = (error: string): Spoken => ({ ok: false, error })

/** Characters of a spoken value at most: an address spelled letter by letter ("j as in juliet") fits. */
const LONGEST = 1000

/** Checked first, so that no text can keep the reading of it busy. */
export const tooLong = (text: string): boolean => text.length > LONGEST

/** One spelling for what transcribers write in several: compatibility forms, invisible marks, dashes, apostrophes. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
    .trim()
