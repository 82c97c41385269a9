/**
 * `_text`, the words of a resource's narrative, and `_content`, all its words:
 * https://hl7.org/fhir/R4/search.html#content. Each has one entry with its words; that of `_content` omits the words of
 * `_text`.
 */
import { type AnyResource, isObject } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { IndexEntry } from '../plan.ts'

export const TEXT = '_text'
export const CONTENT = '_content'

/** Raised when different words are extracted from the same resource. */
export const FULL_TEXT_VERSION = '2'

/** Most distinct words of a resource that are indexed: the first ones of its narrative, and the first of all others. */
const MAX_WORDS = 500
/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 40

/** Elements that hold no text: addresses, code systems, times and data. */
const NO_TEXT: ReadonlySet<string> = new Set([
  ...['resourceType', 'id', 'meta', 'div', 'system', 'url', 'reference', 'profile', 'data', '_data', 'hash'],
  'contentType',
])
/** Dates and times, which have searches of their own. */
const DATE = /^\d{4}-\d\d/

/** The words of a text, folded (see fold), in the form in which they are compared. */
export const wordsOf = (text: string): readonly string[] =>
  fold(text)
    .split(' ')
    .map((word) => (word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word))

export function extractWords(resource: AnyResource, entries: IndexEntry[]): void {
  const narrative = new Set<string>()
  addWords(narrativeOf(resource), narrative)
  const others = new Set<string>()
  addContent(resource, others)
  push(TEXT, narrative, entries)
  push(CONTENT, narrative.size === 0 ? others : others.difference(narrative), entries)
}

function push(param: string, words: ReadonlySet<string>, entries: IndexEntry[]): void {
  if (words.size > 0) entries.push({ kind: 'words', param, words: [...words].join(' ') })
}

function addWords(text: string, words: Set<string>): void {
  for (const word of wordsOf(text)) {
    if (words.size >= MAX_WORDS) return
    if (word !== '') words.add(word)
  }
}

function addContent(value: unknown, words: Set<string>): void {
  if (words.size >= MAX_WORDS) return
  if (typeof value === 'string') {
    if (!DATE.test(value)) addWords(value, words)
  } else if (Array.isArray(value)) for (const item of value) addContent(item, words)
  else if (isObject(value)) {
    for (const [name, part] of Object.entries(value)) if (!NO_TEXT.has(name)) addContent(part, words)
  }
}

/** The text between the tags; each tag ends a word. */
function narrativeOf(resource: AnyResource): string {
  const { text } = resource as { readonly text?: unknown }
  if (!isObject(text) || typeof text.div !== 'string') return ''
  const pieces = text.div.split('<').map((piece) => piece.slice(piece.indexOf('>') + 1))
  return pieces.join(' ').replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (_, decimal, hex, name) => {
    return name === undefined ? characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) : ' '
  })
}

const characterOf = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : ' ')
