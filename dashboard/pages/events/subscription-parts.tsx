/** Parts that the list of Subscriptions and the page of one share. */
import { Badge, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Subscription } from 'fhir/r4'
import { useState } from 'react'
import { switchSubscription } from '../../api/subscriptions.ts'
import { tellProblem } from '../../parts/undo.tsx'

const LOOKS: Readonly<Record<string, { readonly color: string; readonly variant: string }>> = {
  active: { color: 'cyan', variant: 'filled' },
  error: { color: 'red', variant: 'filled' },
}

export const StatusBadge = ({ subscription: { status } }: { readonly subscription: Subscription }) => (
  <Badge size="sm" {...(LOOKS[status ?? ''] ?? { variant: 'default' })}>
    {status ?? 'No status'}
  </Badge>
)

/** Off loses nothing but what happens meanwhile, and on makes it go on: neither asks, nor is there anything to undo. */
export function SwitchButton({ subscription }: { readonly subscription: Subscription }) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const { status } = subscription
  const isOn = status === 'active' || status === 'requested'
  const turn = async (): Promise<void> => {
    setBusy(true)
    await switchSubscription(subscription, !isOn).catch(tellProblem)
    await client.invalidateQueries({ queryKey: ['Subscription'] })
    setBusy(false)
  }
  return (
    <Button size="compact-sm" variant="default" loading={isBusy} onClick={turn}>
      {isOn ? 'Switch off' : status === 'error' ? 'Try again' : 'Switch on'}
    </Button>
  )
}
