/**
 * Finds the patients that resources are about without parsing their text: that costs no more than a search for a word.
 * Texts are as this server stores and writes them, without white space, `resourceType` and `id` first.
 */

/** Most patients of one access; a text may name any number. */
const MAX_PATIENTS = 1_000

const WORD = 'Patient'
const REFERENCE = '"reference":"'
const RESOURCE = '"resourceType":"'
const ID = '","id":"'

interface Shown {
  readonly type: string
  readonly id: string
  /** JSON; '' for a deletion. */
  readonly text: string
}

/**
 * The ids of the Patients among the resources, and of those that other resources refer to.
 * @param base address of this server: references below it are references to its own resources
 */
export function patientsOf(resources: readonly Shown[], base: string): readonly string[] {
  const [only] = resources
  if (resources.length === 1 && only?.type === WORD) return [only.id]
  const found = new Set<string>()
  for (const { type, id, text } of resources) {
    if (found.size >= MAX_PATIENTS) break
    if (type === WORD) found.add(id)
    else addPatientsIn(text, base, found)
  }
  return [...found]
}

/** All Patient resources in the text, and all references to one. */
export function patientsIn(text: string, base: string): readonly string[] {
  const found = new Set<string>()
  addPatientsIn(text, base, found)
  return [...found]
}

function addPatientsIn(text: string, base: string, found: Set<string>): void {
  for (let at = text.indexOf(WORD); at >= 0 && found.size < MAX_PATIENTS; at = text.indexOf(WORD, at + WORD.length)) {
    const from = startOfId(text, at, base)
    const id = from === undefined ? '' : idAt(text, from)
    if (id !== '') found.add(id)
  }
}

/** Where the id of a patient begins, for the word at `at`; undefined where the word refers to none. */
function startOfId(text: string, at: number, base: string): number | undefined {
  const end = at + WORD.length
  if (text.startsWith('/', end)) return isReferenceBefore(text, at, base) ? end + 1 : undefined
  return text.startsWith(ID, end) && isBefore(text, at, RESOURCE) ? end + ID.length : undefined
}

function isReferenceBefore(text: string, at: number, base: string): boolean {
  if (isBefore(text, at, REFERENCE)) return true
  return base !== '' && isBefore(text, at, `${base}/`) && isBefore(text, at - base.length - 1, REFERENCE)
}

const isBefore = (text: string, at: number, part: string): boolean => text.startsWith(part, at - part.length)

/** The id at `from`: it ends with the reference, or before its version. */
function idAt(text: string, from: number): string {
  let to = from
  while (isOfId(text.charCodeAt(to))) to += 1
  return text.slice(from, to)
}

/** https://hl7.org/fhir/R4/datatypes.html#id: letters, digits, `-` and `.` */
const isOfId = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 45 || code === 46
