"""Charter's names of what slurmdbd keeps, and slurmdbd's own."""

from __future__ import annotations

QOS = {
    "priority": "Priority",
    "preempt": "Preempt",
    "preempt_mode": "PreemptMode",
    "grace_time": "GraceTime",
    "preempt_exempt_time": "PreemptExemptTime",
    "max_wall": "MaxWall",
    "grp_tres": "GrpTRES",
    "max_tres_per_job": "MaxTRESPerJob",
    "max_tres_per_user": "MaxTRESPerUser",
    "max_tres_per_account": "MaxTRESPerAccount",
    "max_jobs_per_user": "MaxJobsPerUser",
    "max_submit_jobs_per_user": "MaxSubmitJobsPerUser",
    "usage_factor": "UsageFactor",
    "flags": "Flags",
}
SHOWN = {
    "max_tres_per_job": "MaxTRES",
    "max_tres_per_user": "MaxTRESPU",
    "max_tres_per_account": "MaxTRESPA",
}
SHOWN |= {"max_jobs_per_user": "MaxJobsPU", "max_submit_jobs_per_user": "MaxSubmitPU"}
ACCOUNT = {
    "parent": "Parent",
    "description": "Description",
    "organization": "Organization",
    "fairshare": "Fairshare",
    "grp_tres": "GrpTRES",
    "default_qos": "DefaultQOS",
    "qos": "QOS",
    "grp_jobs": "GrpJobs",
    "grp_submit_jobs": "GrpSubmitJobs",
    "max_tres_per_job": "MaxTRESPerJob",
    "max_jobs_per_user": "MaxJobs",
    "max_submit_jobs_per_user": "MaxSubmitJobs",
    "max_wall": "MaxWall",
}
TRES = frozenset({"grp_tres", "max_tres_per_job", "max_tres_per_user", "max_tres_per_account"})
LISTS = frozenset({"flags", "qos"})
TIMES = frozenset({"grace_time", "max_wall", "preempt_exempt_time"})
