/**
 * What $validate looks at besides: what R4 says in its text and not in a constraint, and what is likely to be a mistake.
 * No write is refused for it.
 */
import type { Findings } from '../findings.ts'
import type { KnownDefinitions } from '../known-definitions.ts'
import type { TypedElement } from '../typed-element.ts'
import { checkReference } from './bundle-references.ts'
import { checkCoding } from './coding.ts'
import { checkDocument } from './document.ts'
import { checkExtensible } from './extensible.ts'
import { checkFullUrl } from './full-url.ts'
import { checkMarkup } from './markup.ts'
import { checkPeriod } from './period.ts'
import { checkReferenceType } from './reference-type.ts'
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
