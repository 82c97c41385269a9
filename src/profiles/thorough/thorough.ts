/**
 * Further checks of $validate: rules of R4 that are stated in its text but not as a constraint, and probable mistakes.
 * No write is refused for them.
 */
import { isObject } from '../../fhir/resource.ts'
import { shortened } from '../../fhir/validate/report.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Findings } from '../findings.ts'
import type { KnownDefinitions } from '../known-definitions.ts'
import type { TypedElement } from '../typed-element.ts'
import { checkFullUrl } from './bundle-index.ts'
import { checkReference, checkReferenceType } from './bundle-references.ts'
import { checkCoding, checkExtensible } from './coding.ts'
import { checkDocument } from './document.ts'
import { checkIdentifier, checkUri } from './uris.ts'

/** Checks one element, without its children. @throws BudgetError */
export function checkThoroughly(item: TypedElement, definitions: KnownDefinitions, findings: Findings): void {
  checkExtensible(item, definitions, findings)
  switch (item.type) {
    case 'string':
    case 'markdown':
      checkMarkup(item, findings)
      break
    case 'uri':
    case 'url':
    case 'canonical':
      checkUri(item, findings)
      break
    case 'Identifier':
      checkIdentifier(item, findings)
      break
    case 'Period':
      checkPeriod(item, findings)
      break
    case 'Coding':
      checkCoding(item, definitions, findings)
      break
    case 'Reference':
      checkReference(item, findings)
      checkReferenceType(item, findings)
      break
    case 'Bundle':
      checkDocument(item, findings)
      break
    case 'Bundle.entry':
      checkFullUrl(item, findings)
  }
}

/**
 * Warns where per-1, "start SHALL have a lower value than end", cannot be decided, as start and end have different precision:
 * https://hl7.org/fhir/R4/datatypes.html#Period.
 */
function checkPeriod({ value, path }: TypedElement, findings: Findings): void {
  const { start, end } = isObject(value) ? value : {}
  if (typeof start !== 'string' || typeof end !== 'string' || !isUndecided(start, end)) return
  const message = `begins with ${start} and ends with ${end}: as their precision differs, it cannot be told whether it ends before it begins (per-1); give both with the same precision`
  findings.add({ code: 'value', path, message, severity: 'warning' })
}

/** Whether the dates are equal in their common precision; times always have seconds, so that two can be compared. */
function isUndecided(start: string, end: string): boolean {
  if (start.length === end.length || (start.includes('T') && end.includes('T'))) return false
  return start.startsWith(end) || end.startsWith(start)
}

/** A tag begins with a letter after `<` or `</`, so that `a < b` is none, and ends before another one begins. */
const TAG = /<\/?[a-z][\w-]*(?:[\s/][^<>]*)?>/i
/** Code in Markdown, whose tags are shown as they are. */
const MARKDOWN_CODE = /`+[^`]*`+/g

/** Characters that are searched in a microsecond. */
const CHARACTERS_PER_STEP = 100
const meter = new Meter('the texts of the resource')

/** Warns about a tag in a string or in Markdown. @throws BudgetError */
function checkMarkup({ value, type, path }: TypedElement, findings: Findings): void {
  if (typeof value !== 'string') return
  meter.pay(value.length / CHARACTERS_PER_STEP)
  if (!value.includes('<')) return
  const tag = TAG.exec(type === 'markdown' ? value.replace(MARKDOWN_CODE, '') : value)?.[0]
  if (tag === undefined) return
  const message = `has what looks like an HTML tag, ${shortened(tag)}; a reader that displays the text as HTML without escaping it runs a risk`
  findings.add({ code: 'security', path, message, severity: 'warning' })
}
