/** The way to the exchanges before and after this one, as they stand in the list that it was opened from. */
import { Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useMemo } from 'react'
import { useExchangeBeside, type WholeExchange } from '../../api/exchanges.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { EXCHANGE_FILTERS, exchangeFilters } from '../../parts/exchange-filters.ts'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton } from '../../parts/links.tsx'
import { useGo } from '../../parts/use-go.ts'

interface BesideProps {
  readonly exchange: WholeExchange
  /** The filters of the list, as they stand in the address. */
  readonly search: Readonly<Record<string, string>>
}

export function Beside({ exchange: { id, number }, search }: BesideProps) {
  const { id: clinic } = useClinic()
  const [inAddress] = useFilters(EXCHANGE_FILTERS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a time that ends with now begins when the exchange is opened
  const filters = useMemo(() => exchangeFilters(inAddress), [id])
  const newer = useExchangeBeside(clinic, number, 'newer', filters)
  const older = useExchangeBeside(clinic, number, 'older', filters)
  const go = useGo()
  const open = (id: string | undefined) => () => id !== undefined && go(`/journal/${id}`, search)
  useHotkeys([
    ['k', open(newer?.id)],
    ['j', open(older?.id)],
  ])
  return (
    <>
      <Step label="Newer" letter="K" id={newer?.id} search={search} />
      <Step label="Older" letter="J" id={older?.id} search={search} />
    </>
  )
}

interface StepProps extends Pick<BesideProps, 'search'> {
  readonly label: string
  readonly letter: string
  readonly id: string | undefined
}

function Step({ label, letter, id, search }: StepProps) {
  const look = { size: 'xs', variant: 'default', rightSection: <Kbd size="xs">{letter}</Kbd> } as const
  if (id === undefined) {
    return (
      <Button {...look} disabled>
        {label}
      </Button>
    )
  }
  return (
    <LinkButton to={`/journal/${id}`} search={search} {...look}>
      {label}
    </LinkButton>
  )
}
