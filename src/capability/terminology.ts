/** The TerminologyCapabilities: https://hl7.org/fhir/R4/terminologycapabilities.html. */
import type { CapabilityStatement, TerminologyCapabilities } from 'fhir/r4'
import { valueSetExpand } from '../operations/terminology/value-set.ts'
import { grammarSystems } from '../terminology/grammars.ts'
import { packagedCanonicals } from '../terminology/packaged.ts'

/** Lists the code systems of the server only, as those of a clinic are visible to that clinic alone. */
export function terminologyCapabilities(statement: CapabilityStatement): TerminologyCapabilities {
  const { version, date, status, kind, software, implementation } = statement
  return {
    resourceType: 'TerminologyCapabilities',
    name: 'SandboxEmrTerminology',
    status,
    date,
    kind,
    ...(version === undefined ? {} : { version }),
    ...(software === undefined ? {} : { software }),
    ...(implementation === undefined ? {} : { implementation }),
    codeSystem: codeSystems(),
    expansion: {
      hierarchical: true,
      paging: true,
      incomplete: false,
      parameter: expandParameters(),
      textFilter:
        'Words, each the beginning of a word in the code, its display or a designation; case and accents do not count.',
    },
    codeSearch: 'all',
    validateCode: { translations: true },
    translation: { needsMap: true },
  }
}

function codeSystems(): NonNullable<TerminologyCapabilities['codeSystem']> {
  const listed = packagedCanonicals('CodeSystem')
  const urls = new Set(listed.map(({ url }) => url))
  return [
    ...listed.map(({ url, version }) => ({
      uri: url,
      ...(version === undefined ? {} : { version: [{ code: version, isDefault: true }] }),
    })),
    ...grammarSystems.filter((url) => !urls.has(url)).map((uri) => ({ uri })),
  ]
}

/** The input parameters of $expand, with their documentation. */
const expandParameters = () =>
  (valueSetExpand.definition.parameter ?? [])
    .filter(({ use }) => use === 'in')
    .map(({ name, documentation = '' }) => ({ name, documentation }))
