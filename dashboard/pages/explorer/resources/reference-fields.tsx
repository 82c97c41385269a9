/** The target of a reference: found by a search, and named. */
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Bundle, CapabilityStatement } from 'fhir/r4'
import { get } from '../../../api/client.ts'
import { searchPath } from '../../../api/queries.ts'
import { useReferenceNames } from '../../../api/reference-names.ts'
import { matchesIn } from '../../../fhir/bundles.ts'
import type { TypedElement } from '../../../fhir/definitions.ts'
import { resourceName } from '../../../fhir/resource-name.ts'
import { Combobox } from '../../../parts/combobox.tsx'
import type { Members } from '../cells.tsx'
import { parametersOf } from '../offers.ts'
import { useFormState } from './form-context.ts'

interface ReferenceFieldsProps {
  readonly element: TypedElement
  readonly value: Members
  readonly path: string
  readonly onChange: (value: Members) => void
}

/** Milliseconds without a change after which the text is searched for. */
const SETTLED = 250
/** Types that are searched at once. */
const TYPES = 4
const SEPARATOR = ' · '

export function ReferenceFields({ element, value, path, onChange }: ReferenceFieldsProps) {
  const { statement, problems } = useFormState()
  const reference = typeof value.reference === 'string' ? value.reference : ''
  const names = useReferenceNames([reference])
  const [wanted] = useDebouncedValue(reference, SETTLED)
  const targets = element.type.targets.filter((type) => searchOf(statement, type) !== undefined).slice(0, TYPES)
  const { data: found = [] } = useQuery({
    queryKey: ['targets', targets, wanted],
    queryFn: ({ signal }) => targetsOf(statement, targets, { wanted, signal }),
    enabled: wanted.length > 1 && !wanted.includes('/'),
  })
  // A display is that of another resource once the reference has changed.
  const set = (text: string): void => {
    const { display: _display, ...others } = value
    onChange({ ...others, reference: text.split(SEPARATOR)[0] ?? '' })
  }
  const whom = typeof value.display === 'string' ? value.display : names?.get(reference)
  return (
    <>
      <Combobox
        label={`Refers to ${element.type.targets.join(', ') || 'any resource'}`}
        placeholder="A name, or Type/id"
        options={found.map((text) => ({ key: text, text }))}
        text={reference}
        error={problems.get(`${path}.reference`)}
        onText={set}
        onChoose={set}
      />
      {whom !== undefined && (
        <Text size="sm">
          <bdi>{whom}</bdi>
        </Text>
      )}
    </>
  )
}

/** The parameter by which people find resources of a type. */
function searchOf(statement: CapabilityStatement, type: string): string | undefined {
  const names = parametersOf(statement, type).map(({ name }) => name)
  return ['name', 'title', 'code', 'identifier'].find((one) => names.includes(one))
}

interface Asked {
  readonly wanted: string
  readonly signal: AbortSignal
}

/** `Patient/p1 · Ruth Abernathy` */
async function targetsOf(
  statement: CapabilityStatement,
  types: readonly string[],
  { wanted, signal }: Asked,
): Promise<readonly string[]> {
  const bundles = await Promise.all(
    types.map((type) => {
      const parameter = searchOf(statement, type) ?? '_id'
      const path = searchPath(type, [
        [parameter, wanted],
        ['_count', '5'],
        ['_summary', 'true'],
      ])
      return get<Bundle>(path, signal)
    }),
  )
  return bundles.flatMap((bundle) =>
    matchesIn(bundle).map((resource) => {
      const name = resourceName(resource)
      return `${resource.resourceType}/${resource.id}${name === undefined ? '' : SEPARATOR + name}`
    }),
  )
}
