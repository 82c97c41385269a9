/** The console's last request and its response. */
import { useRef, useState } from 'react'
import { type ApiAnswer, type ApiRequest, exchange } from '../../api/client.ts'
import { issuesIn, type ProblemIssue, unreachable } from '../../api/problem.ts'
import { xmlTree } from '../../fhir/xml-tree.ts'

export interface ConsoleAnswer extends ApiAnswer {
  readonly request: ApiRequest
  readonly milliseconds: number
}

/** @param onDone is told the status of the response; 0 where there was none */
export function useConsole(onDone: (status: number) => void) {
  const [answer, setAnswer] = useState<ConsoleAnswer>()
  const [findings, setFindings] = useState<readonly ProblemIssue[]>([])
  const [isBusy, setBusy] = useState(false)
  const underWay = useRef<AbortController>(null)
  const send = async (request: ApiRequest): Promise<void> => {
    underWay.current?.abort()
    const controller = new AbortController()
    underWay.current = controller
    setBusy(true)
    const begun = performance.now()
    try {
      const got = await exchange({ ...request, signal: controller.signal })
      const milliseconds = Math.round(performance.now() - begun)
      const body = got.body ?? xmlTree(got.text)
      setAnswer({ ...got, body, request, milliseconds })
      setFindings(hasFindings(request, got.status) ? (issuesIn(body) ?? []) : [])
      onDone(got.status)
    } catch {
      if (controller.signal.aborted) return
      const { message } = unreachable()
      setAnswer({ request, milliseconds: 0, status: 0, headers: new Headers(), body: undefined, text: message })
      onDone(0)
    } finally {
      if (underWay.current === controller) setBusy(false)
    }
  }
  return { answer, findings, isBusy, send }
}

/** Whether the body may have findings: of a refusal, or of $validate, which responds 200 whatever it finds. */
const hasFindings = ({ path }: ApiRequest, status: number): boolean => status >= 400 || path.endsWith('$validate')
