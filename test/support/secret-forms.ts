/** How a secret may be written: one encoding, or one applied to what another one has made. */

type Write = (text: string) => string

const each =
  (write: (code: number) => string): Write =>
  (text) =>
    Array.from(text, (one) => write(one.codePointAt(0) ?? 0)).join('')
const bytes =
  (write: (byte: string) => string): Write =>
  (text) =>
    Array.from(Buffer.from(text), (byte) => write(byte.toString(16).padStart(2, '0'))).join('')
const hex = (code: number, length: number) => code.toString(16).padStart(length, '0')
const json: Write = (text) => JSON.stringify(text).slice(1, -1)
const base64: Write = (text) => Buffer.from(text).toString('base64')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

/** Encodings that are applied one after the other. */
const ENCODINGS: Readonly<Record<string, Write>> = {
  percent: encodeURIComponent,
  'percent of each byte': bytes((byte) => `%${byte}`),
  'percent in capitals': bytes((byte) => `%${byte.toUpperCase()}`),
  JSON: json,
  'JSON code points': each((code) => `\\u${hex(code, 4)}`),
  'JSON code points in capitals': each((code) => `\\u${hex(code, 4).toUpperCase()}`),
  'JSON, every other character': (text) =>
    Array.from(text, (one, at) => (at % 2 === 0 ? json(one) : `\\u${hex(one.charCodeAt(0), 4)}`)).join(''),
  'decimal entities with zeros': each((code) => `&#000${code};`),
  'hexadecimal entities with zeros': each((code) => `&#X00${hex(code, 2).toUpperCase()};`),
  base64,
  'base64 for addresses': (text) => Buffer.from(`u:${text}`).toString('base64url'),
  'base64 in lines': (text) => base64(`${text}.`).replace(/.{20}/g, '$&\r\n'),
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'hexadecimal digits in both cases': (text) =>
    Array.from(Buffer.from(text).toString('hex'), (one, at) => (at % 3 === 0 ? one.toUpperCase() : one)).join(''),
  'UTF-16 LE in base64': (text) => utf16(text).toString('base64'),
  'UTF-16 BE in hexadecimal digits': (text) => utf16(text).swap16().toString('hex'),
}

/** Encodings that stand by themselves. */
const ALONE: Readonly<Record<string, Write>> = {
  'as it is': (text) => text,
  'a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'JavaScript bytes': bytes((byte) => `\\x${byte}`),
  'JavaScript code points': each((code) => `\\u{${code.toString(16)}}`),
  'named entities': (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'around a comment': (text) => `${text.slice(0, 9)}<!-- x -->${text.slice(9)}`,
  'base64, one further': (text) => base64(`:${text}.`),
  'base64, two further': (text) => base64(`u:${text}..`),
  'hexadecimal digits with colons': (text) => (Buffer.from(text).toString('hex').match(/../g) ?? []).join(':'),
  'zeros between': (text) => [...text].join('\0'),
}

const twice = Object.entries(ENCODINGS).flatMap(([outer, write]) =>
  Object.entries(ENCODINGS).map(([inner, before]): [string, Write] => [
    `${inner}, then ${outer}`,
    (text) => write(before(text)),
  ]),
)

export const SECRET_FORMS: ReadonlyMap<string, Write> = new Map([
  ...Object.entries(ALONE),
  ...Object.entries(ENCODINGS),
  ...twice,
])
