-- An inactive check makes every queue inactive that names it.
hs = {status = "Progressing", message = "waiting for Kueue"}
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.type == "Active" then
    local seen = condition.observedGeneration
    if seen ~= nil and seen < obj.metadata.generation then
      hs.message = "waiting for Kueue to see the change"
    elseif condition.status == "True" then
      hs.status = "Healthy"
      hs.message = ""
    else
      hs.status = "Degraded"
      hs.message = condition.message or condition.reason or "inactive"
    end
  end
end
return hs
