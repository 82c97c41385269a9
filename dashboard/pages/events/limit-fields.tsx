/** Fields of a new Subscription that limit it: when it ends, and what one to a topic asks for. docs/subscriptions.md#topics */
import { SimpleGrid, TextInput } from '@mantine/core'
import { clinicNow } from '../../api/clock.ts'
import { LIMITS, type LimitName, limitProblem, limitsFor } from '../../fhir/subscriptions.ts'
import { fieldTimeOf, zoneText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

/** Milliseconds. */
const MINUTE = 60_000

interface LimitFieldsProps {
  readonly typed: Readonly<Record<'kind' | 'channel' | 'end' | LimitName, string>>
  readonly set: (name: 'end' | LimitName) => (event: { readonly currentTarget: { readonly value: string } }) => void
}

export function LimitFields({ typed, set }: LimitFieldsProps) {
  const { timeZone } = useClinic()
  const now = clinicNow()
  const least = fieldTimeOf(now + MINUTE, timeZone)
  return (
    <>
      <TextInput
        type="datetime-local"
        label="Until"
        description={`Without it there is no end. Time of ${zoneText(timeZone, now)}.`}
        min={least}
        value={typed.end}
        error={typed.end !== '' && typed.end < least ? 'This time has passed' : undefined}
        onChange={set('end')}
      />
      {limitsFor(typed).length > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {limitsFor(typed).map((name) => (
            <TextInput
              key={name}
              type="number"
              label={LIMITS[name].label}
              placeholder={LIMITS[name].usual}
              min={LIMITS[name].least}
              max={LIMITS[name].most}
              step={1}
              value={typed[name]}
              error={limitProblem(name, typed[name])}
              onChange={set(name)}
            />
          ))}
        </SimpleGrid>
      )}
    </>
  )
}
